# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=arm64,next all=arm64 seconds=120
# Waits of threads are observed by the perf engine, also where the module is loaded: its engine says that it cannot.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/waits.sh"

waits_least=190000000
waits_are_true "${0%/*}/../filters/wait_members.bpf.o"
waits_have_stacks
waits_add_up
is 'the engine' "$(jq -r .engine "$TMP/json")" perf
refuses 'the engine kmod' 4 'event off-cpu: the engine kmod cannot observe waits' \
	"$TPROF" top --engine kmod --off-cpu --duration 1

done_testing
