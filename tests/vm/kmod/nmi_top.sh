# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=x86-64 all=x86-64 seconds=120
# `tprof top` with NMIs, from the source of another module: a workload with known shares, and the usual filter object.
# NMIs interrupt the workload anywhere, also while a filter runs.
. "${0%/*}/../lib/live.sh"

insmod "$TPROF_MODULES/tprof_nmi.ko" || bail 'the source nmi does not load'
at_exit 'rmmod tprof_nmi'
background "$WORKLOAD/spin" --seconds 3600
spin=$pid

# Long enough for two points to be several standard errors, even with few NMIs a second.
user=".pid == $spin and .mode == \"user\""
seconds=15
if profile_enough "$TMP/json" "$user" -e nmi -c 500000 -p "$spin"; then
	is 'the engine is the module' "$(jq -r .engine "$TMP/json")" kmod
	is 'the event is that of the source' "$(jq -r '"\(.event) \(.unit)"' "$TMP/json")" 'nmi units'
	# NMIs also sample interrupt handlers, whose share is higher in an emulated machine, so only user mode counts.
	truth 'top -e nmi' "$TMP/json" "$user" 0
else
	not_ok 'top -e nmi' "$(cat "$TMP/stderr")"
fi
refuses 'without the module' 2 'event nmi: ' "$TPROF" top --engine perf --batch --duration 1 -e nmi

done_testing
