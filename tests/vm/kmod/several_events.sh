# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=arm64,x86-64-16,next,next-arm64,rt,debug seconds=240
# Several events in one session, on both engines: each has its own samples, ledger, period and name. Where the machine
# has counters, also those of the hardware; several_rows.sh has these with the perf engine.
. "${0%/*}/../lib/live.sh"

hardware=
[ "$(uname -m)" != aarch64 ] || hardware=cycles

# holds ENGINE EVENT...
holds() {
	"$BUILD/several_events" "$@" >"$TMP/said" 2>&1
	is "$*: exit code" $? 0
	is "$*: what does not hold" "$(grep '^not ok' "$TMP/said")" ''
	check "$*: all was tried" grep -qx "1\.\.$(grep -c '^ok ' "$TMP/said")" "$TMP/said"
	sed -n 's/^# //p' "$TMP/said" | while read -r line; do diag "$line"; done
}

background "$WORKLOAD/spin" --seconds 600 --fork 20
# shellcheck disable=SC2086 # none or one
holds kmod cpu-clock page-faults context-switches $hardware
if [ -z "$hardware" ]; then
	holds perf cpu-clock page-faults context-switches
	# The module has a timer for cpu-clock, and perf's event for task-clock.
	holds kmod task-clock page-faults context-switches cpu-clock
fi

done_testing
