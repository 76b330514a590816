#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# tests/peer/programs.sh finds each way in which tprof can be worse than perf, no difference that chance explains, and
# reasons that no longer apply. The rows are invented.
. "${0%/*}/../lib/tap.sh"
. "${0%/*}/../lib/programs_rows.sh"
: >"$TMP/reasons"

# rows COLUMN VALUE: rows of two tools that are equal, except for this column of tprof in the mode fp
rows() {
	for mode in fp dwarf; do
		for tool in tprof perf; do
			printf "prog\t$mode\t$tool\t2000\t2000\t2000\t0\t100\t1800\t200\t20.0\t2000\t2000\t60.0\thot\n"
		done
	done | awk -F '\t' -v OFS='\t' -v column="$1" -v value="$2" \
		'$2 == "fp" && $3 == "tprof" && column { $column = value } { print }' >"$ROWS_OF_PROGRAMS"
}

# functions HOT: the functions of both tools, of 2,000 samples; HOT are those of tprof in hot()
functions() {
	for file in fp.perf dwarf.perf dwarf.tprof fp.tprof; do
		hot=1200
		[ $file != fp.tprof ] || hot=$1
		printf "$hot\thot\n$((2000 - hot))\twarm\n" >"$TMP/prog.$file.leaves"
	done
}

# found WHAT WANTED: the comparisons in which tprof is worse
found() {
	judge_rows prog >"$TMP/found"
	is "$1: 12 comparisons" "$(wc -l <"$TMP/found")" 12
	is "$1" "$(awk -F '\t' '$1 == "worse" { print $3, $4 }' "$TMP/found")" "$2"
}

functions 1200
rows
found 'equal' ''
# Of 2,000 samples with 100 unnamed ones, four standard deviations are 2.8 points, or 55 samples.
rows 8 150
found 'by chance, more unnamed samples' ''
rows 8 170
found 'more unnamed samples' 'fp unnamed'
rows 9 1750
found 'by chance, fewer complete stacks' ''
rows 9 1700
found 'fewer complete stacks' 'fp complete'
rows 6 1800
found 'by chance, fewer samples' ''
rows 6 1700
found 'samples lost' 'fp lost'
rows 10 201
found 'more CPU time' 'fp CPU'
rows 11 20.1
found 'more memory' 'fp memory'
rows
functions 1300
found 'by chance, other shares' ''
functions 1350
found 'other shares' 'fp shares'
rows 4 0
judge_rows prog >"$TMP/found"
is 'without samples nothing is compared' "$(wc -l <"$TMP/found")" 6

# reported COUNT: what judge() reports, without the numbers of the cases, in a shell of its own
reported() {
	(judge prog "$TMP/reasons") | grep -E "$1" | sed 's/ [0-9]* - / /'
}

functions 1200
rows 11 20.1
is 'worse without a reason fails' "$(reported '^not ok')" 'not ok prog, fp: memory'
echo 'prog fp memory: it rains' >"$TMP/reasons"
is 'worse with a reason passes' "$(reported 'memory: |^not ok')" 'ok prog, fp: memory: not as perf, because it rains'
rows
is 'a reason that does not apply fails' "$(reported '^not ok')" 'not ok prog, fp: memory: the reason applies'
done_testing
