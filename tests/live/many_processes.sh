#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: all
# 10,000 sleeping processes add at most a tenth of the CPU time that cat takes for what they have mapped: at most 0.1 s
# where that takes a second. One of the older ones has names.
. "${0%/*}/../lib/live.sh"

cc -O2 -D_GNU_SOURCE "${0%/*}/../bench/measure.c" -o "$TMP/measure" || bail 'cannot build measure'
# Each takes some 0.1 MiB of the kernel's memory.
[ "$(awk '$1 == "MemAvailable:" { print int($2 / 1024) }' /proc/meminfo)" -gt 3000 ] || skip_all 'needs 3 GB of memory'

# cpu_ms COMMAND...: prints the CPU time of the command, the least of three
cpu_ms() {
	for _ in 1 2 3; do
		"$TMP/measure" "$TMP/took" "$@" >"$TMP/json" 2>"$TMP/stderr"
		cut -d ' ' -f 3 "$TMP/took"
	done | sort -n | awk 'NR == 1 { print int($1 / 1000) }'
}

background "$WORKLOAD/spin" --seconds 600
spin=$pid
few=$(cpu_ms "$TPROF" top --json --duration 0.2)
"$WORKLOAD/sleepers" 10000 >"$TMP/sleepers" &
sleepers=$!
at_exit "kill $sleepers 2>/dev/null"
check 'there are 10,000 more' await grep -qx 10000 "$TMP/sleepers"
many=$(cpu_ms "$TPROF" top --json --duration 0.2)
read=$(cpu_ms find /proc -maxdepth 2 -name maps -exec cat {} +)
diag "CPU time: $few ms with few processes, $many ms with 10,000 more; cat: $read ms"
at_most 'CPU time of many processes, ms' "$((many - few))" "$((read / 10))"

# spin is older than the youngest thousand.
check 'top runs' profile "$TMP/json" -F 997
closes 'with many processes' "$TMP/json"
is 'a process that is not among the youngest is named' "$(jq -r --argjson pid "$spin" \
	'[.functions[] | select(.pid == $pid and .mode == "user") | "\(.comm) \(.symbol)"] | unique[]' "$TMP/json" |
	grep -xE 'spin (hot|mild|warm)' | paste -sd ' ' -)" 'spin hot spin mild spin warm'
end "$sleepers"
done_testing
