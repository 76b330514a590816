# SPDX-License-Identifier: GPL-2.0-only
# vm: seconds=130
# Every shipped filter passes this kernel's verifier and counts. With long=1, `tprof filter check` says so, too.
. "${0%/*}/../lib/live.sh"

# counts FILTER OPTION...: the filter counts or keeps samples
counts() {
	"$TPROF" run --json --duration 0.5 "$@" >"$TMP/lines" &&
		jq -es 'last.ledger | .aggregated + .kept > 0' "$TMP/lines" >/dev/null
}

background "$WORKLOAD/spin" --seconds 600
for filter in "$BUILD"/filters/*.bpf.o; do
	name=$(basename "$filter" .bpf.o)
	[ -z "${long:-}" ] || check "filter check $name" "$TPROF" filter check "$filter"
	case $name in
	# Its own event needs the module.
	coverage) check "run $name" counts "$filter" -e cpu-clock ;;
	*) check "run $name" counts "$filter" ;;
	esac
done
done_testing
