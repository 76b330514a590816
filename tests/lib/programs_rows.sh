# SPDX-License-Identifier: GPL-2.0-only
# Makes a row of numbers of each recording of a program (programs_measure.sh), prints the rows as a table, and judges
# them. For tests that sourced tap.sh.
#
# A row has these columns between tabs: program, mode, tool, samples, samples due, samples that it had, lost samples
# that it reports, samples in a function without a name, complete call stacks, CPU ms of the recording and the report,
# memory in MB, CPU ms of the program while the tool alone records it, CPU ms of the program alone, share of the most
# frequent function, its name.

ROWS_OF_PROGRAMS=$TMP/rows
: >"$ROWS_OF_PROGRAMS"

# The functions with which programs, threads and goroutines begin.
roots='^(_*start|__libc_start_(main|call_main)(_impl)?|main|_*clone3?|start_thread|thread_start|ret_from_fork(_asm)?'
roots="$roots|_rt0_amd64_linux|runtime[.](goexit|mstart|rt0_go|clone)([.]abi0)?)\$"

# complete_part FILE: prints the part of the weight of lines "WEIGHT NAME" whose name is the start of a program or a
# thread; $TMP/ranges has lines "OBJECT BIAS FIRST LAST" with the code of those without a name
complete_part() {
	awk -v roots="$roots" '
		function hex(text,  i, n) {
			for (i = 1; i <= length(text); i++)
				n = n * 16 + index("123456789abcdef", substr(text, i, 1))
			return n + 0
		}
		NR == FNR { nr++; object[nr] = $1; first[nr] = hex($3) - $2; last[nr] = hex($4) - $2; next }
		{ weight = $1; sub(/^[^\t]*\t/, ""); all += weight }
		$0 ~ roots { good += weight; next }
		/^\[.*\+0x[0-9a-f]+\]$/ {
			at = $0
			sub(/^.*\+0x/, "", at)
			sub(/\]$/, "", at)
			file = $0
			sub(/^\[/, "", file)
			sub(/\+0x[0-9a-f]+\]$/, "", file)
			for (i = 1; i <= nr; i++)
				if (object[i] == file && hex(at) >= first[i] && hex(at) <= last[i]) {
					good += weight
					next
				}
		}
		END { print all ? good / all : 0 }' "$TMP/ranges" "$1"
}

# ranges_of_roots FILE
ranges_of_roots() {
	sort -u "$1" | while read -r file; do
		code_roots "$file" | sed "s|^|${file##*/} $(code_bias "$file") |"
	done >"$TMP/ranges"
}

# add_row NAME MODE TOOL
add_row() {
	of=$TMP/$1.$2.$3
	ranges_of_roots "$TMP/$1.$2.perf.objects"
	awk -F '\t' -v what="$1	$2	$3" -v part="$(complete_part "$of.roots")" -v counts="$(cat "$of.counts")" \
		-v cost="$(tr '\n' ' ' <"$of.cost")" -v worked="$(cat "$TMP/$1.$2.worked")" \
		-v slowed="$(cat "$of.slowed")" -v alone="$(cat "$TMP/$1.alone")" '
		{ n[$2] += $1; all += $1 }
		$2 ~ /^\[/ { unnamed += $1 }
		END {
			split(counts, count, " ")
			split(cost, took, " ")
			for (name in n)
				if (n[name] > n[top])
					top = name
			printf "%s\t%d\t%.0f\t%.0f\t%d\t%d\t%.0f\t%.0f\t%.1f\t%.0f\t%.0f\t%.1f\t%s\n", what, all,
				worked / 1e9 * count[3], count[1], count[2], unnamed, part * all,
				(took[3] + took[7]) / 1000, (took[4] > took[8] ? took[4] : took[8]) / 1024,
				slowed / 1e6, alone / 1e6, all ? 100 * n[top] / all : 0, top
		}' "$of.leaves" >>"$ROWS_OF_PROGRAMS"
}

rows_table() {
	diag "$(awk -F '\t' '
		BEGIN {
			form = "%-8s %-5s %-5s %7s %6s %6s %8s %9s %6s %6s %6s  %s\n"
			printf form, "program", "mode", "tool", "samples", "due", "lost", "unnamed%", "complete%", \
				"CPUms", "MB", "slow%", "most frequent function"
		}
		{
			printf form, $1, $2, $3, $4, $5, $7, percent($8, $4), percent($9, $4), $10, $11,
				percent($12 - $13, $13), $14 " % " substr($15, 1, 50)
		}
		function percent(a, b) { return sprintf("%.1f", b ? 100 * a / b : 0) }' "$ROWS_OF_PROGRAMS")"
}

# judge_rows NAME: prints a line for each comparison of a program: `equal` or `worse`, the program, the mode, what was
# compared, and the numbers
judge_rows() {
	for mode_of_rows in fp dwarf; do
		awk -F '\t' -v mode=$mode_of_rows -v name="$1" '$1 == name && $2 == mode' "$ROWS_OF_PROGRAMS" |
			awk -F '\t' -v of="$TMP/$1.$mode_of_rows" -f "${0%/*}/../lib/programs_judge.awk"
	done
}

# known_reason FILE PROGRAM MODE COMPARISON: prints why tprof is worse there
known_reason() {
	sed -n "s/^$2 $3 $4: //p" "$1"
}

# judge NAME REASONS: reports each comparison of a program. The file REASONS has lines "PROGRAM MODE COMPARISON: reason"
# for comparisons in which tprof is worse.
judge() {
	judge_rows "$1" >"$TMP/verdicts"
	while IFS='	' read -r verdict program mode what numbers; do
		reason=$(known_reason "$2" "$program" "$mode" "$what")
		case $verdict:$reason in
		equal:) ok "$program, $mode: $what" ;;
		equal:*) not_ok "$program, $mode: $what: the reason applies" \
			"tprof is not worse: $numbers; remove this line of ${2##*/}: $program $mode $what: $reason" ;;
		worse:) not_ok "$program, $mode: $what" "tprof and perf: $numbers" ;;
		worse:*) ok "$program, $mode: $what: not as perf, because $reason" ;;
		esac
	done <"$TMP/verdicts"
	is "$1: all comparisons" "$(wc -l <"$TMP/verdicts")" 12
}
