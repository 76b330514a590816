# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=x86-64,next seconds=220
# Every shipped filter runs on the module, and its tables contain as many samples as its ledger says.
. "${0%/*}/../lib/live.sh"

lazy "$WORKLOAD/spin" --seconds 3600

# run_json OPTION...: writes the kept samples and the tables of `tprof run` to $TMP/lines, and the tables to $TMP/json
run_json() {
	"$TPROF" run --json --duration 1 -F 199 "$@" >"$TMP/lines" 2>"$TMP/stderr" &&
		jq -s last "$TMP/lines" >"$TMP/json"
}

# row_sum: prints the number of samples in all rows of all tables
row_sum() {
	jq -r '[.tables[].rows[].samples] | add // 0' "$TMP/json"
}

for object in "$BUILD"/filters/*.bpf.o; do
	filter=$(basename "$object" .bpf.o)
	# Its own event is not on all machines.
	[ "$filter" = coverage ] && event=cpu-clock || event=
	# shellcheck disable=SC2086 # none or two words
	if ! run_json ${event:+-e $event} "$filter"; then
		not_ok "run $filter" "$(cat "$TMP/stderr")"
		continue
	fi
	is "run $filter: on the module" "$(jq -r .engine "$TMP/json")" kmod
	ledger_closes "run $filter" "$TMP/json"
	is "run $filter: it counts or keeps" "$(ledger "$TMP/json" '.aggregated + .kept > 0')" true
	is "run $filter: its tables hold what was counted" "$(row_sum)" "$(ledger "$TMP/json" .aggregated)"
done

run_json cpu
is 'cpu: every sample is in its table' "$(row_sum)" "$(ledger "$TMP/json" .done)"
run_json --table-entries 2 top
is '--table-entries: what found no room is accounted for' \
	"$(ledger "$TMP/json" '.table_full > 0 and .done - .idle == .aggregated + .table_full')" true
run_json --set idle=1 pass
is '--set: pass keeps idle CPUs too' "$(ledger "$TMP/json" '.done == 0 and .kept > 0')" true
run_json "${0%/*}/../filters/bad_verdict.bpf.o"
is 'bad verdicts are lost, each of them' "$(ledger "$TMP/json" '.lost.bad_verdict > 0 and .done + .kept == 0')" true

done_testing
