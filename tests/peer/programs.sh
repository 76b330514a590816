#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: truth
# Runs real programs of Debian with a fixed amount of work: alone, under tprof record, under perf record, and under both
# at the same time, with call stacks by frame pointers and by DWARF. Prints a row for each program, mode and tool. tprof
# must have the same shares as perf, no more unnamed or lost samples, no fewer complete call stacks, and no higher
# costs. If it is worse, programs.reasons has the reason, which must still apply. docs/testing.md explains the numbers.
#
# PROGRAMS has the names of programs, to run only these.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/programs.sh"
. "${0%/*}/../lib/unwind_tables.sh"

command -v perf >/dev/null || skip_all 'no perf'
. "${0%/*}/../lib/programs_measure.sh"
. "${0%/*}/../lib/programs_rows.sh"

# compare NAME: adds the rows of a program
compare() {
	measure_alone "$1" || return
	for mode_of_row in fp dwarf; do
		try_three measure_both "$1" $mode_of_row && measure_costs "$1" $mode_of_row || return
		for tool_of_row in tprof perf; do
			add_row "$1" $mode_of_row $tool_of_row
		done
	done
}

programs_data
for name in ${PROGRAMS:-$(programs_list)}; do
	if ! package=$(programs_package "$name"); then
		skip "$name" "no $name"
		continue
	fi
	diag "$name: $package"
	if ! compare "$name"; then
		not_ok "$name: runs under both tools"
		continue
	fi
	for mode in fp dwarf; do
		ledger_closes "$name, $mode" "$TMP/$name.$mode.tprof.json"
	done
	judge "$name" "${0%/*}/programs.reasons"
done
rows_table
done_testing
