#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# idle_missed, samples that the kernel does not deliver from idle CPUs, is only idle time: a program that alternates
# between work and sleep gets the samples due for its CPU time, on every CPU.
. "${0%/*}/../lib/live.sh"

for cpu in $(jq -nr --arg list "$(cat /sys/devices/system/cpu/online)" '
	$list | split(",")[] | split("-") | map(tonumber) | range(.[0]; .[-1] + 1)' | head -n 4); do
	stolen=$(stolen_ns "$cpu")
	"$TPROF" top --json -c 1003009 -C "$cpu" -- "$WORKLOAD/duty" "$cpu" 2 3 4 \
		>"$TMP/intervals" 2>"$TMP/out" </dev/null
	stolen=$(($(stolen_ns "$cpu") - stolen))
	# After the hypervisor has stopped the CPU for any time, there is one sample.
	busy_ns=$(awk 'NF == 2 && /^[0-9 ]+$/ { printf "%.0f\n", $1 - $2 }' "$TMP/out")
	like "CPU $cpu: the program ran" "$busy_ns" '^[0-9]{9,}$'
	samples=$(jq -s '[.[].functions[].samples] | add // 0' "$TMP/intervals")
	diag "CPU $cpu: $samples samples, $((${busy_ns:-0} / 1003009)) by its CPU time," \
		"$((stolen / 1003009)) by the time stolen, idle missed:" \
		"$(jq -s '[.[].ledger.lost.idle_missed] | add' "$TMP/intervals")"
	# The period is 1.003 ms. The clock of the program excludes the time before its first instruction, and the time
	# that the hypervisor takes, any part of which may be during its work; the sampling timer continues meanwhile.
	half=$(awk "BEGIN { print 50 * $stolen / ${busy_ns:-1} }")
	within "CPU $cpu: samples, % of what the CPU time is worth" \
		"$(awk "BEGIN { print $samples * 100 * 1003009 / ${busy_ns:-1} }")" \
		"$(awk "BEGIN { print 100 + $half }")" "$(awk "BEGIN { print 4 + $half }")"
	ledger_closes "CPU $cpu" "$TMP/intervals"
done

done_testing
