# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=x86-64,arm64,next,next-arm64,rt,debug all=x86-64 seconds=120
# Modifiers of events: each event has the samples of its mode, and the ledger closes. On arm64 the events are counters,
# on both engines; the others do not depend on the architecture.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/modifiers.sh"

[ "$(uname -m)" = aarch64 ] || modes_add_up --engine kmod
background "$WORKLOAD/spin" --seconds 600 --fork 20
if [ "$(uname -m)" = aarch64 ]; then
	counter_has_modes --engine kmod
	counter_has_modes --engine perf
	refuses 'precise' 4 'event cycles:p: no PMU of this machine records precise addresses' \
		"$TPROF" top --batch -e cycles:p --duration 1
else
	clock_has_mode --engine kmod
fi

done_testing
