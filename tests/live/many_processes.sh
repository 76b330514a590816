#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# 10,000 sleeping processes add at most 0.1 s of CPU time to a session, and one of the older ones has names.
. "${0%/*}/../lib/live.sh"

cc -O2 -D_GNU_SOURCE "${0%/*}/../bench/measure.c" -o "$TMP/measure" || bail 'cannot build measure'
# Each takes some 0.1 MiB of the kernel's memory.
[ "$(awk '$1 == "MemAvailable:" { print int($2 / 1024) }' /proc/meminfo)" -gt 3000 ] || skip_all 'needs 3 GB of memory'

# cpu_ms: prints the CPU time of a short session of the whole machine, the least of five
cpu_ms() {
	for _ in 1 2 3 4 5; do
		"$TMP/measure" "$TMP/took" "$TPROF" top --json --duration 0.2 >"$TMP/json" 2>"$TMP/stderr" ||
			diag "$(cat "$TMP/stderr")"
		cut -d ' ' -f 3 "$TMP/took"
	done | sort -n | awk 'NR == 1 { print int($1 / 1000) }'
}

background "$WORKLOAD/spin" --seconds 600
spin=$pid
few=$(cpu_ms)
"$WORKLOAD/sleepers" 10000 >"$TMP/sleepers" &
sleepers=$!
at_exit "kill $sleepers 2>/dev/null"
check 'there are 10,000 more' await grep -qx 10000 "$TMP/sleepers"
many=$(cpu_ms)
diag "CPU time: $few ms with few processes, $many ms with 10,000 more"
at_most 'CPU time of many processes, ms' "$((many - few))" 100

# spin is older than the youngest thousand.
check 'top runs' profile "$TMP/json" -F 997
closes 'with many processes' "$TMP/json"
is 'a process that is not among the youngest is named' "$(jq -r --argjson pid "$spin" \
	'[.functions[] | select(.pid == $pid and .mode == "user") | "\(.comm) \(.symbol)"] | unique[]' "$TMP/json" |
	grep -xE 'spin (hot|mild|warm)' | paste -sd ' ' -)" 'spin hot spin mild spin warm'
end "$sleepers"
done_testing
