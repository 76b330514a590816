# SPDX-License-Identifier: GPL-2.0-only
# The tests, as lists of programs for tests/run. Each list starts with what the programs are told.

SAN_O	:= $(O)/san-address-undefined

san_make = $(MAKE) --no-print-directory SAN=address,undefined O=$(SAN_O)

# What a test says of itself in a line `# run: WORD...` (docs/testing.md): the tests among $(2) that say the word.
saying = $(shell grep -lE '^\# run:(.* )?$(1)( |=|$$)' $(2))
# Those that say beside=SECONDS, the longest first.
beside = $(shell grep -oE '^\# run: beside=[0-9]+' $(1) | sed 's/:.*=/ /' | sort -k2,2rn -k1,1 | cut -d ' ' -f 1)

# How long hostile programs are at it, by themselves.
HOSTILE_SECONDS	:= 600

live_tests	:= $(sort $(wildcard tests/live/*.sh))
live_plain	:= $(filter-out $(call saying,sanitized=only,$(live_tests)),$(live_tests))
live_san	:= $(call saying,sanitized,$(live_tests))
live_beside	:= $(call beside,$(live_tests))
peer_tests	:= $(sort $(wildcard tests/peer/*.sh))
peer_npm	:= $(call saying,npm,$(peer_tests))
peer_truth	:= $(call saying,truth,$(peer_tests))
vm_tests	:= $(sort $(wildcard tests/vm/*.sh tests/vm/run/*.sh))
vm_beside	:= $(call beside,$(vm_tests))
vm_truth	:= $(call saying,truth,$(vm_tests))
vm_next		:= $(call saying,next,$(vm_tests))
vm_debug	:= $(call saying,debug,$(vm_tests))
vm_soak		:= $(call saying,soak,$(vm_tests))

RUN		= tests/run
# Those that do not measure run beside each other; of those that wait a lot one more.
AT_ONCE		= AT_ONCE=$(shell nproc)
AT_ONCE_MORE	= AT_ONCE=$(shell expr $$(nproc) + 1)
RUN_UNIT	= $(AT_ONCE) GROUP=unit TPROF_BUILD=$(O) TIMEOUT=120 $(UNIT_TESTS)
RUN_SAN		= $(AT_ONCE) GROUP=san TPROF_BUILD=$(SAN_O) TIMEOUT=300 $(UNIT_TESTS:$(O)/%=$(SAN_O)/%)
RUN_CLI		= $(AT_ONCE) GROUP=cli TPROF_BUILD=$(O) TIMEOUT=300 $(sort $(wildcard tests/cli/*.sh))
# A browser is slow enough without, bash is not ours, progress waits most of its time, and sanitizers have allocations
# of their own.
RUN_CLI_SAN	= $(AT_ONCE) GROUP=cli-san TPROF_BUILD=$(SAN_O) TIMEOUT=300 \
		  $(sort $(filter-out %/flame.sh %/completion.sh %/progress.sh %/no_memory.sh, \
		  $(wildcard tests/cli/*.sh)))
RUN_BUILD	= $(AT_ONCE) GROUP=build TPROF_BUILD=$(O) TIMEOUT=300 $(sort $(wildcard tests/build/*.sh))
# First what measures, each by itself; then the rest, with and without sanitizers, beside each other.
RUN_LIVE	= AT_ONCE=1 GROUP=live TPROF_BUILD=$(O) TIMEOUT=600 $(filter-out $(live_beside),$(live_plain)) \
		  GROUP=live-san TPROF_BUILD=$(SAN_O) $(filter-out $(live_beside),$(live_san)) \
		  $(AT_ONCE_MORE) GROUP=live TPROF_BUILD=$(O) $(filter $(live_plain),$(live_beside)) \
		  GROUP=live-san TPROF_BUILD=$(SAN_O) $(filter $(live_san),$(live_beside))
# The same damage each time; by hand, another each time.
RUN_FUZZ	= $(AT_ONCE) GROUP=fuzz SEED=1795279991544088917 TPROF_BUILD=$(O) TIMEOUT=300 tests/fuzz/parsers.sh
RUN_HOSTILE	= AT_ONCE=1 GROUP=hostile TPROF_BUILD=$(SAN_O) TIMEOUT=2000 HOSTILE_SECONDS=$(HOSTILE_SECONDS) \
		  tests/live/hostile.sh HOSTILE_SECONDS=
RUN_GUIDED	= GROUP=fuzz TPROF_BUILD=$(O) TIMEOUT=36000 tests/fuzz/guided.sh
RUN_PEER	= AT_ONCE=1 GROUP=peer TPROF_BUILD=$(O) TIMEOUT=300 \
		  $(filter-out $(peer_npm) $(peer_truth),$(peer_tests))
RUN_TRUTH	= AT_ONCE=1 GROUP=peer TPROF_BUILD=$(O) TIMEOUT=900 $(peer_truth) \
		  GROUP=vm $(vm_truth)
RUN_PEER_NPM	= AT_ONCE=1 GROUP=peer TPROF_BUILD=$(O) TIMEOUT=300 $(peer_npm)
RUN_VM		= $(AT_ONCE) GROUP=vm TPROF_BUILD=$(O) TIMEOUT=1800 $(vm_beside) AT_ONCE=1 \
		  $(filter-out $(vm_beside) $(vm_next) $(vm_debug) $(vm_soak) $(vm_truth),$(vm_tests))
RUN_NEXT	= AT_ONCE=1 GROUP=vm TPROF_BUILD=$(O) TIMEOUT=1800 $(vm_next)
RUN_SOAK	= GROUP=vm TPROF_BUILD=$(O) TIMEOUT=4000 $(vm_soak)
RUN_DEBUG	= $(AT_ONCE) GROUP=vm TPROF_BUILD=$(O) TIMEOUT=29000 $(vm_debug) AT_ONCE=1

.PHONY: check check-unit check-san check-cli check-build check-live check-peer check-vm
.PHONY: check-all check-next check-repeat check-soak check-debug check-fuzz check-hostile san fuzz bench bench-module
san:
	+@$(san_make) all unit workload

# The library as libFuzzer wants it, by the compiler that brings libFuzzer along.
fuzz:
	+@$(MAKE) --no-print-directory SAN=fuzzer-no-link,address,undefined CC=$(CLANG) O=$(O)/fuzz $(O)/fuzz/libtprof.a

# setup may install the compiler, so what follows it is made by a make of its own.
check:
	@sh mk/setup.sh all
	@$(MAKE) --no-print-directory $(PARALLEL) guest-fetch all unit workload san
	@$(RUN) LOG=$(O)/log $(RUN_UNIT) $(RUN_SAN) $(RUN_FUZZ) $(RUN_CLI) $(RUN_CLI_SAN) $(RUN_BUILD) $(RUN_LIVE) \
		$(RUN_PEER) $(RUN_VM)

# All of it, which takes hours; what passed before an interruption is not run again. The readers and the soak take their
# time whatever is beside them.
check-all:
	@sh mk/setup.sh all
	@sh mk/setup.sh debug
	@$(MAKE) --no-print-directory $(PARALLEL) guest-fetch all unit workload san fuzz
	@$(RUN) RESUME=$(O)/check-all LOG=$(O)/log $(RUN_UNIT) $(RUN_SAN) $(RUN_FUZZ) $(RUN_CLI) $(RUN_CLI_SAN) \
		$(RUN_BUILD) $(RUN_LIVE) $(RUN_PEER) $(RUN_TRUTH) $(RUN_PEER_NPM) $(RUN_VM) \
		$(RUN_NEXT) $(RUN_HOSTILE) $(AT_ONCE) $(RUN_GUIDED) $(RUN_SOAK) $(RUN_DEBUG)

check-unit: unit filters
	@$(RUN) LOG=$(O)/log $(RUN_UNIT)

check-cli: all unit san
	@$(RUN) LOG=$(O)/log $(RUN_CLI) $(RUN_CLI_SAN)

check-san: san
	@$(RUN) LOG=$(O)/log $(RUN_SAN)

check-build: all
	@$(RUN) LOG=$(O)/log $(RUN_BUILD)

check-live: all workload san
	@$(RUN) LOG=$(O)/log $(RUN_LIVE)

check-peer: all workload $(MAKE_PROFILE)
	@$(RUN) LOG=$(O)/log $(RUN_PEER) $(RUN_TRUTH)

check-vm: all workload
	@$(RUN) LOG=$(O)/log $(RUN_VM)

# As root, who can make a folder with sid to build in.
check-next:
	@sh mk/setup.sh all
	@$(MAKE) --no-print-directory $(PARALLEL) all workload
	@$(RUN) LOG=$(O)/log $(RUN_NEXT)

# No test needs a second try: the live and VM tests over and over, until one fails or RUNS runs, 20, have passed.
check-repeat:
	@sh mk/setup.sh all
	@$(MAKE) --no-print-directory $(PARALLEL) guest-fetch all workload san
	@tests/repeat $(O)/check-repeat $(or $(RUNS),20) LOG=$(O)/log $(RUN_LIVE) $(RUN_VM)

# Half an hour, in one machine.
check-soak: all workload
	@$(RUN) LOG=$(O)/log $(RUN_SOAK)

# Builds two kernels, once (tests/vm/machine/debug.sh); the rest takes more than an hour.
check-debug:
	@sh mk/setup.sh debug
	@$(MAKE) --no-print-directory $(PARALLEL) all workload
	@$(RUN) LOG=$(O)/log $(RUN_DEBUG)

# Ten minutes, with sanitizers.
check-hostile: all workload san
	@$(RUN) LOG=$(O)/log $(RUN_HOSTILE)

# Five minutes for each reader.
check-fuzz:
	@sh mk/setup.sh debug
	@$(MAKE) --no-print-directory $(PARALLEL) all unit workload fuzz
	@$(RUN) LOG=$(O)/log $(RUN_GUIDED)

bench: all workload $(MAKE_PROFILE)
	@sh tests/bench/run.sh $(O)

# Only what is counted in emulated machines.
bench-module: all
	@sh tests/bench/module.sh $(O)
