#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# tprof does not disturb other tools: perf record beside it writes files that perf can read, with the right device and
# inode of a program, and bpftrace works. Events of other tools do not disturb tprof.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/neighbours.sh"

others() {
	like "$1: bpftrace has its answer" "$(bpftrace -e 'profile:hz:199 { @samples = count(); }
		interval:ms:500 { exit(); }' 2>&1)" '^@samples: [1-9]'
}

perf_works_alone ||
	skip_all "perf cannot record here, or not read it: $(tail -n 1 "$TMP/perf.out")"

beside 'top -g' "$TPROF" top -g --json --duration 600
beside 'record --call-graph dwarf' "$TPROF" record --call-graph dwarf -o "$TMP/a.pb.gz" --duration 600
beside 'record --raw' "$TPROF" record --raw -o "$TMP/a.traw" --duration 600

# If one event requests build IDs, the kernel marks the mapping records of all events as having build IDs.
background perf record -q -a -B -N -e cpu-clock -F 99 --buildid-mmap -o "$TMP/build_ids.data"
perf=$pid
check 'perf with build ids: it records' comes . find "$TMP/build_ids.data" -size +0
"$WORKLOAD/spin" --seconds 600 --fork 50 --exec >"$TMP/spin.out" 2>&1 </dev/null &
spin=$!
at_exit "kill $spin 2>/dev/null"
seconds=2 profile "$TMP/json" -F 997
end "$spin"
end "$perf"
closes 'beside perf with build ids' "$TMP/json"
at_most 'beside perf with build ids: samples in user mode without a function, percent' "$(jq -r '
	[.functions[] | select(.comm == "spin" and .mode == "user")] |
	(map(select(.symbol | startswith("[")).samples) | add // 0) * 100 / (map(.samples) | add // 0.01)' \
	"$TMP/json")" 1
is 'beside perf with build ids: nothing of it was lost' "$(ledger "$TMP/json" .sideband_lost)" 0

done_testing
