# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=arm64 seconds=60
# `tprof top` with a hardware counter on the module: a workload with known shares, and the usual filter object. Cycles
# are the default event on a machine with this counter.
. "${0%/*}/../lib/live.sh"

background "$WORKLOAD/spin" --seconds 3600
user=".pid == $pid and .mode == \"user\""
seconds=6
if profile_enough "$TMP/json" "$user" -F 1997 -p "$pid"; then
	is 'the engine is the module' "$(jq -r .engine "$TMP/json")" kmod
	is 'the event is the counter' "$(jq -r '"\(.event) \(.unit)"' "$TMP/json")" 'cycles cycles'
	# The share of interrupts is higher in an emulated machine, so only user mode counts.
	truth 'top -e cycles' "$TMP/json" "$user" 0
else
	not_ok 'top -e cycles' "$(cat "$TMP/stderr")"
fi

done_testing
