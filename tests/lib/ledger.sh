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
