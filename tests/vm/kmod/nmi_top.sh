# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=x86-64 seconds=120
# `tprof top` from NMIs, by the source of another module: a workload of known shares, with the same filter object as
# everywhere. NMIs find the workload wherever it is, also while a filter runs.
. "${0%/*}/../lib/live.sh"

insmod "$TPROF_MODULES/tprof_nmi.ko" || bail 'the source nmi does not load'
at_exit 'rmmod tprof_nmi'
background "$WORKLOAD/spin" --seconds 3600
spin=$pid

# Enough samples for two points to be several standard errors, also where few NMIs get through in a second.
user=".pid == $spin and .mode == \"user\""
seconds=15
if profile_enough "$TMP/json" "$user" -e nmi -c 500000 -p "$spin"; then
	is 'the engine is the module' "$(jq -r .engine "$TMP/json")" kmod
	is 'the event is that of the source' "$(jq -r '"\(.event) \(.unit)"' "$TMP/json")" 'nmi units'
	# NMIs see interrupts at work as well, which take more of an emulated machine than of a real one.
	truth 'top -e nmi' "$TMP/json" "$user" 0
else
	not_ok 'top -e nmi' "$(cat "$TMP/stderr")"
fi
refuses 'without the module' 2 'event nmi: ' "$TPROF" top --engine perf --batch --duration 1 -e nmi

done_testing
