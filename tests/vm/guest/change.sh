# SPDX-License-Identifier: GPL-2.0-only
# vm: all=perf-6.1 seconds=240
# Changes of a running session on this kernel: rate and period, pauses, targets, filters. With long=1, also with
# another event.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/changes.sh"

for event in cpu-clock page-faults ${long:+task-clock}; do
	changes "$event" change_rate perf $event
done
changes 'targets' change_scope perf
changes 'filters' change_filter perf cpu-clock
changes 'filters that are refused' change_filter_refused perf

done_testing
