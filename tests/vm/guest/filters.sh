# SPDX-License-Identifier: GPL-2.0-only
# vm: seconds=120
# Every shipped filter passes this kernel's verifier and counts.
. "${0%/*}/../lib/live.sh"

# counts FILTER: the filter counts or keeps samples
counts() {
	"$TPROF" run --json --duration 0.5 -e cpu-clock "$1" >"$TMP/lines" &&
		jq -es 'last.ledger | .aggregated + .kept > 0' "$TMP/lines" >/dev/null
}

background "$WORKLOAD/spin" --seconds 600
for filter in "$BUILD"/filters/*.bpf.o; do
	name=$(basename "$filter" .bpf.o)
	check "filter check $name" "$TPROF" filter check "$filter"
	check "run $name" counts "$filter"
done
done_testing
