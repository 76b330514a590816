# SPDX-License-Identifier: GPL-2.0-only
# The tests, as lists of programs for tests/run. Each list starts with what the programs are told.

SAN_O	:= $(O)/san-address-undefined

san_make = $(MAKE) --no-print-directory SAN=address,undefined O=$(SAN_O)

# Those live tests that walk the code and do not measure; and those of them that take long, and so are not run without
# sanitizers too.
SAN_LIVE	:= bad_filters bad_options command hostile json output pins record signals switched_off
SAN_ONLY	:= bad_filters signals

# Live tests that measure nothing and change nothing that others see, the longest first: they run beside each other.
LIVE_BESIDE	:= open_close growth no_memory bad_filters signals filters terminal bad_options command debuginfod \
		   dwarf json lines list loop misuse output privileges raw record sandbox schema
# Machines of two CPUs wait a third of their time: one for each CPU of the host. The one with many runs by itself.
VM_BESIDE	:= make_vm module run/x86-64 run/arm64 run/perf-6.12 run/perf-6.1 run/arm64-icount run/panic \
		   run/lockdown

# What is compared with a program that Debian does not have, and npm fetches.
PEER_NPM	:= tests/peer/speedscope.sh

# How near all that sample are to the truth: `make check-peer` and `make check-all`.
PEER_TRUTH	:= tests/peer/truth.sh
VM_TRUTH	:= tests/vm/run/truth.sh

# Debian's newest kernel, its one for real time, those that check themselves and what takes long have targets of their
# own.
VM_NEXT		:= tests/vm/run/next.sh
VM_DEBUG	:= $(addprefix tests/vm/run/,debug-tprof.sh race-tprof.sh debug.sh race.sh hostile.sh rt.sh)
VM_SOAK		:= tests/vm/run/soak.sh

# How long hostile programs are at it, by themselves.
HOSTILE_SECONDS	:= 600

live_tests	:= $(sort $(wildcard tests/live/*.sh))
live_plain	:= $(filter-out $(SAN_ONLY:%=tests/live/%.sh),$(live_tests))
live_beside	:= $(LIVE_BESIDE:%=tests/live/%.sh)
live_san	:= $(SAN_LIVE:%=tests/live/%.sh)
vm_beside	:= $(VM_BESIDE:%=tests/vm/%.sh)

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
		  $(filter-out $(PEER_NPM) $(PEER_TRUTH),$(sort $(wildcard tests/peer/*.sh)))
RUN_TRUTH	= AT_ONCE=1 GROUP=peer TPROF_BUILD=$(O) TIMEOUT=900 $(PEER_TRUTH) \
		  GROUP=vm $(VM_TRUTH)
RUN_PEER_NPM	= AT_ONCE=1 GROUP=peer TPROF_BUILD=$(O) TIMEOUT=300 $(PEER_NPM)
RUN_VM		= $(AT_ONCE) GROUP=vm TPROF_BUILD=$(O) TIMEOUT=1800 $(vm_beside) AT_ONCE=1 \
		  $(filter-out $(vm_beside) $(VM_NEXT) $(VM_DEBUG) $(VM_SOAK) $(VM_TRUTH), \
		  $(sort $(wildcard tests/vm/run/*.sh)))
RUN_NEXT	= AT_ONCE=1 GROUP=vm TPROF_BUILD=$(O) TIMEOUT=1800 $(VM_NEXT)
RUN_SOAK	= GROUP=vm TPROF_BUILD=$(O) TIMEOUT=4000 $(VM_SOAK)
RUN_DEBUG	= $(AT_ONCE) GROUP=vm TPROF_BUILD=$(O) TIMEOUT=29000 $(VM_DEBUG) AT_ONCE=1

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
