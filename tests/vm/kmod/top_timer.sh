# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=x86-64-16,rt,next,next-arm64 seconds=120
# `tprof top` with the timer of the module: a workload with known shares, and the usual filter object.
. "${0%/*}/../lib/live.sh"

background "$WORKLOAD/spin" --seconds 3600
spin=$pid
user=".pid == $spin and .mode == \"user\""

seconds=6
if profile_enough "$TMP/json" "$user" -e cpu-clock -F 1997 -p "$spin"; then
	is 'the engine is the module' "$(jq -r .engine "$TMP/json")" kmod
	is 'the event is the clock' "$(jq -r .event "$TMP/json")" cpu-clock
	# The share of interrupts is higher in an emulated machine, so only user mode counts.
	truth 'top -p' "$TMP/json" "$user" 0
else
	not_ok 'top -p'
fi

# Starting and stopping may take some hundredths of a second each, so the run is long.
seconds=15
if profile "$TMP/json" -e cpu-clock -F 499; then
	is 'the workload has a CPU' \
		"$(jq -r '[.functions[] | select(.comm == "spin").weight] | add > 12000000000' "$TMP/json")" true
	closes 'top' "$TMP/json"
	# The weight of all samples is the time that passed on all CPUs, less a period or two for each CPU.
	is 'all time is accounted for' "$(jq -r '.ledger.weight.fired / (.duration_s * 1e9 * .cpus) |
		. > 0.98 and . < 1.02' "$TMP/json")" true
	is 'the counter says the same' \
		"$(jq -r '(.ledger.weight.fired / .period - .ledger.counter | fabs) < 2 * .cpus' "$TMP/json")" true
else
	not_ok 'top'
fi

done_testing
