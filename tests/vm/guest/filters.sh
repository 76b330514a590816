# SPDX-License-Identifier: GPL-2.0-only
# Every shipped filter passes this kernel's verifier and counts.
. "${0%/*}/../lib/live.sh"

background "$WORKLOAD/spin" --seconds 60
for filter in "$BUILD"/filters/*.bpf.o; do
	name=$(basename "$filter" .bpf.o)
	check "filter check $name" "$TPROF" filter check "$filter"
	check "run $name" "$TPROF" run --duration 0.2 "$filter"
done
done_testing
