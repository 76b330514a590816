# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=x86-64,arm64,next,rt,debug all=x86-64,arm64 seconds=120
# A client of the library changes the rate of a running session of the module, pauses it, and starts it again. On arm64,
# the event is a counter, also on the perf engine; the others do not depend on the architecture.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/changes.sh"

if [ "$(uname -m)" = aarch64 ]; then
	changes 'kmod cycles' change_rate kmod cycles
	changes 'perf cycles' change_rate perf cycles
else
	for event in cpu-clock page-faults task-clock; do
		changes "kmod $event" change_rate kmod $event
	done
fi

done_testing
