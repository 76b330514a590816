# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=x86-64,next,next-arm64
# A raw recording on the module has every counted sample, and a cut is reported.
. "${0%/*}/../lib/live.sh"

background "$WORKLOAD/spin" --seconds 3600
spin=$pid

"$TPROF" record --raw --engine kmod -F 1997 --duration 8 -p "$spin" -o "$TMP/x.traw" >"$TMP/stdout" 2>"$TMP/stderr" ||
	bail "record --raw: $(cat "$TMP/stderr")"
like 'account' "$(sed -n 1p "$TMP/stderr")" \
	'^tprof: kmod, [a-z-]+: [1-9][0-9]* samples in ([89]|[0-9]{2,})\.[0-9] s: [1-9][0-9]* done'
"$TPROF" export -i "$TMP/x.traw" -f json >"$TMP/json" 2>"$TMP/stderr"
# Except overflows of an emulated counter while its previous interrupt was still pending.
is 'nothing is missing' "$(grep -v 'missing: [0-9.]* % engine_missed (use a lower rate: -F, .*)$' "$TMP/stderr")" ''
is 'every sample done is in the file' "$(ledger "$TMP/json" '.done - .aggregated')" 0
is 'the functions add up' "$(jq -r '[([.functions[].samples] | add) - .ledger.aggregated,
	([.functions[].weight] | add) - .ledger.weight.aggregated] | join(" ")' "$TMP/json")" '0 0'
within 'hot() has 50 %' "$(share "$TMP/json" ".pid == $spin and .mode == \"user\"" hot)" 50 4
like 'call stacks from the root to the leaf' "$("$TPROF" export -i "$TMP/x.traw" -f folded)" \
	'^spin;.*main;work_in_threads;work;hot [1-9]'

# total FROM TO
total() {
	"$TPROF" report -i "$TMP/x.traw" ${1:+--from $1} ${2:+--to $2} --json | jq -r .total.samples
}
is 'two parts are the whole' "$(($(total '' 2) + $(total 2 '')))" "$(total)"
is 'CPUs are told apart' "$("$TPROF" report -i "$TMP/x.traw" --by cpu --json | jq -r '[.rows[].self.samples] | add')" \
	"$(total)"

size=$(stat -c %s "$TMP/x.traw")
head -c $((size / 2)) "$TMP/x.traw" >"$TMP/cut.traw"
like 'cut short: is said' "$("$TPROF" report -i "$TMP/cut.traw" 2>&1 >/dev/null)" \
	'^tprof: warning: .*cut\.traw: cut short: it has [1-9][0-9]* samples'

done_testing
