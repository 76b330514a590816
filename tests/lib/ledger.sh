# SPDX-License-Identifier: GPL-2.0-only
# Checks of the ledger in the JSON of tprof: one profile, or one line for each interval. Needs tap.sh.

# ledger FILE JQ: prints the value of the jq expression, applied to the ledger
ledger() {
	jq -r ".ledger | $2" "$1"
}

# unexplained FILE: prints the samples and the weight that fired and are in no slot of the ledger; of intervals, each
# different result once
unexplained() {
	ledger "$1" '[., .weight] | map(.fired - .out_of_scope - .decimated - .done - .kept - .below_min -
		([.lost[]] | add)) | join(" ")' | sort -u
}

# ledger_closes WHAT FILE
ledger_closes() {
	is "$1: the ledger closes, in samples and in weight" "$(unexplained "$2")" '0 0'
}

# nothing_lost WHAT FILE: no sample was lost. A kernel that runs no programs when it switches from certain threads, as
# that of some hosts, hides waits, runs and wake-ups; they are counted, with no weight.
nothing_lost() {
	is "$1: nothing is lost" "$(ledger "$2" '(.lost | add) -
		if .weight.lost.engine_missed == 0 then .lost.engine_missed else 0 end')" 0
}

# The rows of a profile: functions, or the rows of all tables
ROWS='(if .functions then .functions else [.tables[].rows[]] end)'

# rows_add_up WHAT FILE: the sums of the rows equal the counted samples and weight in the ledger, in each interval
rows_add_up() {
	is "$1: the rows add up to what was counted, in samples and in weight" \
		"$(jq -r "[($ROWS | map(.samples) | add // 0) - .ledger.aggregated,
			($ROWS | map(.weight) | add // 0) - .ledger.weight.aggregated] | join(\" \")" "$2" | sort -u)" \
		'0 0'
}

# text_adds_up WHAT FILE: the same for text output, whose headers have the number of counted samples
text_adds_up() {
	is "$1: the rows of each interval add up to what its header says was counted" \
		"$(awk '/^# samples/ { if (n++ && rows != counted) print "interval " n - 1 ": " rows " of " counted
				rows = 0; counted = $5 + 0 }
			/^ *[0-9.]+% / { rows += $2 }
			END { if (!n || rows != counted) print "last interval: " rows " of " counted }' "$2")" ''
}

# intervals FILE: prints the number of intervals: of JSON objects, or of headers in text
intervals() {
	grep -cE '^(\{|# samples)' "$1"
}

has_several() {
	[ "$(intervals "$1")" -ge 4 ]
}

# takes FILE COMMAND OPTION...: runs tprof COMMAND until FILE has its output of several intervals
takes() {
	file=$1
	shift
	# The wait below needs the file before tprof has written to it.
	: >"$file"
	"$TPROF" "$@" >"$file" 2>"$TMP/stderr" &
	taker=$!
	await has_several "$file" || not_ok "tprof $*: comes to have intervals"
	kill "$taker"
	wait "$taker" || diag "tprof $*: $(cat "$TMP/stderr")"
}
