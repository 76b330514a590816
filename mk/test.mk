# SPDX-License-Identifier: GPL-2.0-only
# The tests, as lists of programs for tests/run. Each list begins with variables for the programs.

SAN_O	:= $(O)/san-address-undefined

# Lines are enough for reports of sanitizers; so it is built in half the time. Without -O2, gcc knows fewer ranges.
san_make = $(MAKE) --no-print-directory SAN=address,undefined O=$(SAN_O) CFLAGS='-O1 -g1 -Wno-format-truncation'

# $(call saying,WORD,TESTS): the tests that have WORD in their line `# run: WORD...` (docs/testing.md)
saying = $(shell grep -lE '^\# run:(.* )?$(1)( |=|$$)' $(2))
# $(call beside,TESTS): the tests with beside=SECONDS, the longest first
beside = $(shell grep -oE '^\# run: beside=[0-9]+' $(1) | sed 's/:.*=/ /' | sort -k2,2rn -k1,1 | cut -d ' ' -f 1)

# The run time of the hostile programs in check-hostile
HOSTILE_SECONDS	:= 600

live_tests	:= $(sort $(wildcard tests/live/*.sh))
live_san	:= $(call saying,sanitized=only,$(live_tests))
live_san_all	:= $(call saying,sanitized=all,$(live_tests))
live_all	:= $(call saying,all,$(live_tests))
live_plain	:= $(filter-out $(live_san) $(live_all),$(live_tests))
live_long	:= $(call saying,long,$(live_tests))
live_beside	:= $(call beside,$(live_tests))
cli_long	:= $(call saying,long,$(wildcard tests/cli/*.sh))
peer_tests	:= $(sort $(wildcard tests/peer/*.sh))
peer_npm	:= $(call saying,npm,$(peer_tests))
peer_truth	:= $(call saying,truth,$(peer_tests))
vm_tests	:= $(sort $(wildcard tests/vm/*.sh tests/vm/run/*.sh))
vm_beside	:= $(call beside,$(vm_tests))
vm_truth	:= $(call saying,truth,$(vm_tests))
vm_next		:= $(call saying,next,$(vm_tests))
vm_debug	:= $(call saying,debug,$(vm_tests))
vm_soak		:= $(call saying,soak,$(vm_tests))
vm_all		:= $(call saying,all,$(vm_tests))

RUN		= tests/run
# Tests that do not measure run at the same time, one for each CPU; one more if they mostly wait.
AT_ONCE		= AT_ONCE=$(shell nproc)
AT_ONCE_MORE	= AT_ONCE=$(shell expr $$(nproc) + 1)
RUN_UNIT	= $(AT_ONCE) GROUP=unit TPROF_BUILD=$(O) TIMEOUT=120 $(UNIT_TESTS)
RUN_SAN		= $(AT_ONCE) GROUP=san TPROF_BUILD=$(SAN_O) TIMEOUT=300 $(UNIT_TESTS:$(O)/%=$(SAN_O)/%)
RUN_CLI		= $(AT_ONCE) GROUP=cli TPROF_BUILD=$(O) TIMEOUT=300 $(sort $(wildcard tests/cli/*.sh))
# Not with sanitizers: flame (the browser is slow), completion (tests bash), progress (mostly waits) and no_memory
# (sanitizers allocate memory themselves).
RUN_CLI_SAN	= $(AT_ONCE) GROUP=cli-san TPROF_BUILD=$(SAN_O) TIMEOUT=300 \
		  $(sort $(filter-out %/flame.sh %/completion.sh %/progress.sh %/no_memory.sh, \
		  $(wildcard tests/cli/*.sh)))
RUN_BUILD	= $(AT_ONCE) GROUP=build TPROF_BUILD=$(O) TIMEOUT=300 $(sort $(wildcard tests/build/*.sh))
# First the tests that measure, one at a time; then the others, with and without sanitizers, at the same time.
RUN_LIVE	= AT_ONCE=1 GROUP=live TPROF_BUILD=$(O) TIMEOUT=600 $(filter-out $(live_beside),$(live_plain)) \
		  GROUP=live-san TPROF_BUILD=$(SAN_O) $(filter-out $(live_beside),$(live_san)) \
		  $(AT_ONCE_MORE) GROUP=live TPROF_BUILD=$(O) $(filter $(live_plain),$(live_beside)) \
		  GROUP=live-san TPROF_BUILD=$(SAN_O) $(filter $(live_san),$(live_beside))
# Only part of check-all: more tests, more of them with sanitizers, and the long forms of some.
RUN_LONG	= AT_ONCE=1 GROUP=live TPROF_BUILD=$(O) TIMEOUT=600 $(filter-out $(live_beside),$(live_all)) \
		  GROUP=live-san TPROF_BUILD=$(SAN_O) $(filter-out $(live_beside),$(live_san_all)) \
		  $(AT_ONCE_MORE) $(filter $(live_beside),$(live_san_all)) \
		  GROUP=live TPROF_BUILD=$(O) $(filter $(live_all),$(live_beside)) \
		  TIMEOUT=1800 LONG=1 GROUP=cli-long $(cli_long) GROUP=live-long $(live_long) \
		  GROUP=fuzz-long $(FUZZ) LONG=
# The fixed seed gives the same input in each run; without SEED, each run has another one.
FUZZ		= SEED=1795279991544088917 tests/fuzz/parsers.sh
RUN_FUZZ	= $(AT_ONCE) GROUP=fuzz TPROF_BUILD=$(O) TIMEOUT=300 $(FUZZ)
RUN_HOSTILE	= AT_ONCE=1 GROUP=hostile TPROF_BUILD=$(SAN_O) TIMEOUT=2000 HOSTILE_SECONDS=$(HOSTILE_SECONDS) \
		  tests/live/hostile.sh HOSTILE_SECONDS=
RUN_GUIDED	= GROUP=fuzz TPROF_BUILD=$(O) TIMEOUT=36000 tests/fuzz/guided.sh
RUN_PEER	= AT_ONCE=1 GROUP=peer TPROF_BUILD=$(O) TIMEOUT=300 \
		  $(filter-out $(peer_npm) $(peer_truth),$(peer_tests))
RUN_TRUTH	= AT_ONCE=1 GROUP=peer TPROF_BUILD=$(O) TIMEOUT=1800 $(peer_truth) \
		  GROUP=vm $(vm_truth)
RUN_PEER_NPM	= AT_ONCE=1 GROUP=peer TPROF_BUILD=$(O) TIMEOUT=300 $(peer_npm)
RUN_VM		= $(AT_ONCE) GROUP=vm TPROF_BUILD=$(O) TIMEOUT=1800 $(vm_beside) AT_ONCE=1 \
		  $(filter-out $(vm_beside) $(vm_next) $(vm_debug) $(vm_soak) $(vm_truth) $(vm_all),$(vm_tests))
RUN_VM_ALL	= $(AT_ONCE) GROUP=vm TPROF_BUILD=$(O) TIMEOUT=1800 $(vm_all)
RUN_NEXT	= AT_ONCE=1 GROUP=vm TPROF_BUILD=$(O) TIMEOUT=1800 $(vm_next)
RUN_SOAK	= GROUP=vm TPROF_BUILD=$(O) TIMEOUT=4000 $(vm_soak)
RUN_DEBUG	= $(AT_ONCE) GROUP=vm TPROF_BUILD=$(O) TIMEOUT=29000 $(vm_debug) AT_ONCE=1

.PHONY: check check-unit check-san check-cli check-build check-live check-peer check-vm
.PHONY: check-all check-next check-repeat check-soak check-debug check-fuzz check-hostile san fuzz bench bench-module
san:
	+@$(san_make) all unit workload

# The library with the instrumentation of libFuzzer, which is part of clang.
fuzz:
	+@$(MAKE) --no-print-directory SAN=fuzzer-no-link,address,undefined CC=$(CLANG) O=$(O)/fuzz $(O)/fuzz/libtprof.a

# setup may install the compiler, so a new make runs after it.
check:
	@sh mk/setup.sh all
	@$(MAKE) --no-print-directory $(PARALLEL) guest-fetch all unit workload san
	@$(RUN) LOG=$(O)/log $(RUN_UNIT) $(RUN_SAN) $(RUN_FUZZ) $(RUN_CLI) $(RUN_CLI_SAN) $(RUN_BUILD) $(RUN_LIVE) \
		$(RUN_PEER) $(RUN_VM)

# All tests; takes hours. After an interruption, tests that have passed do not run again. The last groups run at the
# same time, because the fuzzer and the soak test run for a fixed time.
check-all:
	@sh mk/setup.sh all
	@sh mk/setup.sh debug
	@$(MAKE) --no-print-directory $(PARALLEL) guest-fetch all unit workload san fuzz
	@$(RUN) RESUME=$(O)/check-all LOG=$(O)/log $(RUN_UNIT) $(RUN_SAN) $(RUN_FUZZ) $(RUN_CLI) $(RUN_CLI_SAN) \
		$(RUN_BUILD) $(RUN_LIVE) $(RUN_LONG) $(RUN_PEER) $(RUN_TRUTH) $(RUN_PEER_NPM) $(RUN_VM) \
		$(RUN_VM_ALL) $(RUN_NEXT) $(RUN_HOSTILE) $(AT_ONCE) $(RUN_GUIDED) $(RUN_SOAK) $(RUN_DEBUG)

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

# Needs root to create a directory with Debian sid, in which the module is built.
check-next:
	@sh mk/setup.sh all
	@$(MAKE) --no-print-directory $(PARALLEL) all workload
	@$(RUN) LOG=$(O)/log $(RUN_NEXT)

# Repeats the live and VM tests until one fails or RUNS (20) runs have passed: no test may need a second try.
check-repeat:
	@sh mk/setup.sh all
	@$(MAKE) --no-print-directory $(PARALLEL) guest-fetch all workload san
	@tests/repeat $(O)/check-repeat $(or $(RUNS),20) LOG=$(O)/log $(RUN_LIVE) $(RUN_VM)

# Takes half an hour, in one virtual machine.
check-soak: all workload
	@$(RUN) LOG=$(O)/log $(RUN_SOAK)

# The first run builds two kernels (tests/vm/machine/debug.sh); the tests take more than an hour.
check-debug:
	@sh mk/setup.sh debug
	@$(MAKE) --no-print-directory $(PARALLEL) all workload
	@$(RUN) LOG=$(O)/log $(RUN_DEBUG)

# Takes ten minutes, with sanitizers.
check-hostile: all workload san
	@$(RUN) LOG=$(O)/log $(RUN_HOSTILE)

# Takes five minutes for each reader.
check-fuzz:
	@sh mk/setup.sh debug
	@$(MAKE) --no-print-directory $(PARALLEL) all unit workload fuzz
	@$(RUN) LOG=$(O)/log $(RUN_GUIDED)

bench: all workload $(MAKE_PROFILE)
	@sh tests/bench/run.sh $(O)

# Runs only the benchmarks that count in emulated machines.
bench-module: all
	@sh tests/bench/module.sh $(O)
