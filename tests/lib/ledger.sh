# SPDX-License-Identifier: GPL-2.0-only
# Questions to the ledger in tprof's JSON: a profile, or the intervals of one, a line each. Needs tap.sh.

# ledger FILE JQ: a number from the ledger
ledger() {
	jq -r ".ledger | $2" "$1"
}

# unexplained FILE: samples and weight that fired and did not become anything; of intervals, each answer once
unexplained() {
	ledger "$1" '[., .weight] | map(.fired - .out_of_scope - .decimated - .done - .kept - ([.lost[]] | add)) |
		join(" ")' | sort -u
}

# ledger_closes WHAT FILE
ledger_closes() {
	is "$1: the ledger closes, in samples and in weight" "$(unexplained "$2")" '0 0'
}

# What there is of both kinds of rows, as JSON has them
ROWS='(if .functions then .functions else [.tables[].rows[]] end)'

# rows_add_up WHAT FILE: all rows together are what the ledger beside them says was counted; of intervals, in each
rows_add_up() {
	is "$1: the rows add up to what was counted, in samples and in weight" \
		"$(jq -r "[($ROWS | map(.samples) | add // 0) - .ledger.aggregated,
			($ROWS | map(.weight) | add // 0) - .ledger.weight.aggregated] | join(\" \")" "$2" | sort -u)" \
		'0 0'
}

# text_adds_up WHAT FILE: the same of text, whose header says what was counted
text_adds_up() {
	is "$1: the rows of each interval add up to what its header says was counted" \
		"$(awk '/^# samples/ { if (n++ && rows != counted) print "interval " n - 1 ": " rows " of " counted
				rows = 0; counted = $5 + 0 }
			/^ *[0-9.]+% / { rows += $2 }
			END { if (!n || rows != counted) print "last interval: " rows " of " counted }' "$2")" ''
}

# intervals FILE: how many objects, or headers of text, there are
intervals() {
	grep -cE '^(\{|# samples)' "$1"
}

has_several() {
	[ "$(intervals "$1")" -ge 4 ]
}

# takes FILE COMMAND OPTION...: its output, of several intervals
takes() {
	file=$1
	shift
	# Before the wait below looks into it.
	: >"$file"
	"$TPROF" "$@" >"$file" 2>"$TMP/stderr" &
	taker=$!
	await has_several "$file" || not_ok "tprof $*: comes to have intervals"
	kill "$taker"
	wait "$taker" || diag "tprof $*: $(cat "$TMP/stderr")"
}
