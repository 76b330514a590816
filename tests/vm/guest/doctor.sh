# SPDX-License-Identifier: GPL-2.0-only
# `tprof doctor` reports that a stock Debian kernel can run the perf engine.
. "${0%/*}/../lib/live.sh"

check 'doctor finds nothing missing' "$TPROF" doctor
for what in events engines filters; do
	check "list $what" "$TPROF" list $what
done
like 'the perf engine works here' "$("$TPROF" list engines)" '^perf'
done_testing
