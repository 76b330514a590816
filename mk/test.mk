# SPDX-License-Identifier: GPL-2.0-only
# The tests, as lists of programs for tests/run. Each list starts with what the programs are told.

SAN_O	:= $(O)/san-address-undefined

san_make = $(MAKE) --no-print-directory SAN=address,undefined O=$(SAN_O)

# Those live tests that walk the code and do not measure.
SAN_LIVE	:= bad_filters bad_options command filters json output pins record signals switched_off

# Debian's newest kernel has a target of its own.
VM_NEXT		:= tests/vm/run/next.sh

RUN		= tests/run
RUN_UNIT	= GROUP=unit TPROF_BUILD=$(O) TIMEOUT=120 $(UNIT_TESTS)
RUN_SAN		= GROUP=san TPROF_BUILD=$(SAN_O) TIMEOUT=300 $(UNIT_TESTS:$(O)/%=$(SAN_O)/%)
RUN_CLI		= GROUP=cli TPROF_BUILD=$(O) TIMEOUT=300 $(sort $(wildcard tests/cli/*.sh))
# A browser is slow enough without.
RUN_CLI_SAN	= GROUP=cli-san TPROF_BUILD=$(SAN_O) TIMEOUT=300 \
		  $(sort $(filter-out %/flame.sh,$(wildcard tests/cli/*.sh)))
RUN_BUILD	= GROUP=build TPROF_BUILD=$(O) TIMEOUT=300 $(sort $(wildcard tests/build/*.sh))
RUN_LIVE	= GROUP=live TPROF_BUILD=$(O) TIMEOUT=600 $(sort $(wildcard tests/live/*.sh))
# The same damage each time; by hand, another each time.
RUN_FUZZ	= GROUP=fuzz SEED=1795279991544088917 TPROF_BUILD=$(O) TIMEOUT=300 $(sort $(wildcard tests/fuzz/*.sh))
RUN_PEER	= GROUP=peer TPROF_BUILD=$(O) TIMEOUT=300 $(sort $(wildcard tests/peer/*.sh))
RUN_LIVE_SAN	= GROUP=live-san TPROF_BUILD=$(SAN_O) TIMEOUT=600 $(sort $(wildcard $(SAN_LIVE:%=tests/live/%.sh)))
RUN_VM		= GROUP=vm TPROF_BUILD=$(O) TIMEOUT=1200 tests/vm/module.sh tests/vm/make_vm.sh \
		  $(filter-out $(VM_NEXT),$(sort $(wildcard tests/vm/run/*.sh)))

.PHONY: check check-unit check-san check-cli check-build check-live check-peer check-vm check-next san bench
san:
	+@$(san_make) all unit workload

# setup may install the compiler, so what follows it is made by a make of its own.
check:
	@sh mk/setup.sh all
	@$(MAKE) --no-print-directory $(PARALLEL) all unit workload san
	@$(RUN) LOG=$(O)/log $(RUN_UNIT) $(RUN_SAN) $(RUN_FUZZ) $(RUN_CLI) $(RUN_CLI_SAN) $(RUN_BUILD) $(RUN_LIVE) \
		$(RUN_LIVE_SAN) $(RUN_PEER) $(RUN_VM)

check-unit: unit filters
	@$(RUN) LOG=$(O)/log $(RUN_UNIT)

check-cli: all unit san
	@$(RUN) LOG=$(O)/log $(RUN_CLI) $(RUN_CLI_SAN)

check-san: san
	@$(RUN) LOG=$(O)/log $(RUN_SAN)

check-build: all
	@$(RUN) LOG=$(O)/log $(RUN_BUILD)

check-live: all workload san
	@$(RUN) LOG=$(O)/log $(RUN_LIVE) $(RUN_LIVE_SAN)

check-peer: all workload
	@$(RUN) LOG=$(O)/log $(RUN_PEER)

check-vm: all workload
	@$(RUN) LOG=$(O)/log $(RUN_VM)

# As root, who can make a folder with sid to build in.
check-next:
	@sh mk/setup.sh all
	@$(MAKE) --no-print-directory $(PARALLEL) all workload
	@$(RUN) LOG=$(O)/log GROUP=vm TPROF_BUILD=$(O) TIMEOUT=1200 $(VM_NEXT)

bench: all workload
	@sh tests/bench/run.sh $(O)
