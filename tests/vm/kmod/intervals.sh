# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=x86-64,next not=debug,race all=x86-64 seconds=240
# The rows and the ledger of an interval have the same samples, with the module too: the counts of a filter are exact.
# The ledger of the module is read just before the tables are swapped, so it may differ by the samples in between.
. "${0%/*}/../lib/live.sh"

# objects LOAD HZ
objects() {
	takes "$TMP/json" top --json -d 0.3 -F "$2" -e cpu-clock
	is "top --json, $1, $2 Hz: the engine is the module" "$(jq -r .engine "$TMP/json" | sort -u)" kmod
	ledger_closes "top --json, $1, $2 Hz" "$TMP/json"
	rows_add_up "top --json, $1, $2 Hz" "$TMP/json"
	# In the sum of all intervals these differences cancel out.
	is "top --json, $1, $2 Hz: in the end, each sample done was counted, refused or idle" \
		"$(jq -s 'map(.ledger | .done - .idle - .aggregated - .table_full - .table_busy - .no_memory) | add' \
			"$TMP/json")" 0
}

objects idle 99
background "$WORKLOAD/spin" --seconds 3600
objects 'under load' 20000
takes "$TMP/text" run stacks -d 0.3 -F 997 -e cpu-clock
text_adds_up 'run -d, under load, 997 Hz' "$TMP/text"

# A filter without tables that keeps samples.
takes "$TMP/json" top --json -d 0.3 -F 499 -e cpu-clock --filter pass
ledger_closes 'kept' "$TMP/json"
is 'kept: the functions add up to what was kept' \
	"$(jq -r '([.functions[].samples] | add // 0) - .ledger.kept' "$TMP/json" | sort -u)" 0

done_testing
