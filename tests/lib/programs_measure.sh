# SPDX-License-Identifier: GPL-2.0-only
# Records a program with tprof or perf, and reads what the recording has. For tests/peer/programs.sh, which sourced
# live.sh, programs.sh and unwind_tables.sh.
#
# The tool attaches to a shell that is stopped, and then becomes the program: so the CPU time and the memory of the tool
# are its own. All recordings are of cpu-clock at the same rate.

PROGRAMS_HZ=997
programs_took=$(realpath "$WORKLOAD/took")
mkfifo "$TMP/control" "$TMP/answers"
# Opened for reading and writing, so that the open does not wait for the other end.
exec 8<>"$TMP/control" 9<>"$TMP/answers"
cc -O2 -D_GNU_SOURCE "${0%/*}/../bench/measure.c" -o "$TMP/measure" || bail 'no compiler'

programs_stopped() {
	grep -q '^[0-9]* (sh) T' "/proc/$1/stat"
}

# start_program COMMAND: a shell that waits as $program for SIGCONT; then runs the command, whose CPU time is written to
# $TMP/program.took
start_program() {
	rm -f "$TMP/program.took"
	# shellcheck disable=SC2016 # of the shell there
	(cd "$DATA" && exec env -i PATH=$PROGRAMS_PATH LC_ALL=C sh -c 'kill -STOP $$; exec "$@"' sh \
		"$programs_took" "$TMP/program.took" sh -c "$1" >"$TMP/program.out" 2>"$TMP/program.err") &
	program=$!
	at_exit "kill -9 $program 2>/dev/null"
	await programs_stopped "$program"
}

# go_on: the program runs; waits for its end, and fails if it fails
go_on() {
	kill -CONT "$program"
	wait "$program" && return
	diag "$(head -n 3 "$TMP/program.err")"
	return 1
}

# measured TOOL COMMAND...: writes its duration, CPU time and memory to $TMP/TOOL.took
measured() {
	tool=$1
	shift
	timeout -s INT 200 "$TMP/measure" "$TMP/$tool.took" "$@" >"$TMP/$tool.out" 2>"$TMP/$tool.err"
}

# The command that measured runs is not a child of this shell.
find_tprof() {
	tprof_pid=$(pgrep -f "^$TPROF .* -p $program" | head -n 1)
	[ -n "$tprof_pid" ]
}

ready_tprof() {
	await find_tprof && await_session_of "$tprof_pid"
}

ready_perf() {
	echo enable >&8
	timeout 30 head -n 1 <&9 | grep -q ack
}

# start_tool TOOL MODE: attaches it to the program and waits until it samples; MODE is fp or dwarf. Its recording is
# $TMP/TOOL.recording.
start_tool() {
	rm -f "$TMP/$1.recording"
	case $1 in
	tprof) measured tprof "$TPROF" record --engine perf -e cpu-clock -F "$PROGRAMS_HZ" --call-graph "$2" \
		--format pprof -o "$TMP/tprof.recording" -p "$program" & ;;
	perf) measured perf perf record -q -B -N --no-bpf-event -e cpu-clock -F "$PROGRAMS_HZ" --call-graph "$2" \
		-o "$TMP/perf.recording" -p "$program" -D -1 --control "fifo:$TMP/control,$TMP/answers" & ;;
	esac
	eval "recorder_$1=$!"
	"ready_$1"
}

# end_tool TOOL: waits for its end, which is the end of the program
end_tool() {
	eval "wait \$recorder_$1" && [ -s "$TMP/$1.recording" ] && return
	diag "$1 has failed: $(tail -n 2 "$TMP/$1.err")"
	return 1
}

# record NAME MODE TOOL...: records a program with these tools at the same time
record() {
	start_program "$(programs_command "$1")" || return
	mode=$2
	shift 2
	for tool_of_record; do
		start_tool "$tool_of_record" "$mode" || kill -9 "$program"
	done
	go_on
	recorded=$?
	for tool_of_record; do
		end_tool "$tool_of_record" || recorded=1
	done
	return $recorded
}

report() {
	case $1 in
	tprof) measured tprof "$TPROF" report -i "$TMP/tprof.recording" ;;
	perf) measured perf perf report --stdio --no-inline -i "$TMP/perf.recording" ;;
	esac
}

# Removes what the tools write differently: symbol versions, parameters but not the receivers of Go, `package.(*T).f`,
# and the optimization of functions of a JIT compiler.
same_names() {
	sed 's/(anonymous namespace)/anonymous/g; s/\([^.]\)([^	]*/\1/g; s/ *$//
		s/@@*[A-Z][A-Za-z_0-9.]*//g; s/:[*~^+]*/:/g'
}

# read_tprof FILE: writes FILE.leaves, with lines "SAMPLES NAME"; FILE.roots, with lines "WEIGHT NAME"; FILE.counts,
# with the samples that it had, in periods, the samples that it lost, and its rate
read_tprof() {
	"$TPROF" export -i "$TMP/tprof.recording" -f json >"$1.json" 2>"$TMP/tprof.err" &&
		"$TPROF" export -i "$TMP/tprof.recording" -f folded >"$1.folded" 2>>"$TMP/tprof.err" || return
	jq -r '.functions[] | "\(.samples)\t\(.symbol)"' "$1.json" | same_names >"$1.leaves"
	awk '{ weight = $NF; sub(/ [0-9]+$/, ""); split($0, frame, ";"); print weight "\t" frame[2] }' "$1.folded" |
		same_names >"$1.roots"
	jq -r '[.ledger.weight.done / .period, ([.ledger.lost[]] | add) - .ledger.lost.idle_missed, 1e9 / .period] |
		join(" ")' "$1.json" >"$1.counts"
}

# tables_of FILE: prints the tables of the objects in samples of perf, for sample_names.awk
tables_of() {
	cut -f 2,5 "$1" | tr '\t' '\n' | sort -u | grep '^/' | while read -r object; do
		printf 'bias\t%s\t%s\n' "$object" "$(code_bias "$object")"
	done
	awk -F '\t' '$1 == "[unknown]" && $2 ~ /^\// { print $2 }' "$1" | sort -u | while read -r object; do
		code_functions "$object" | awk -v object="$object" '{
			printf "%s %s function\t%s\t%s\t%s\n", length($1), $1, object, $1, $2 }' | sort -k 1,1n -k 2,2 |
			cut -d ' ' -f 3-
	done
}

# read_perf FILE: the same for perf; FILE.objects has the
# files with code that the program has mapped
read_perf() {
	perf script --no-inline --show-lost-events --show-mmap-events -i "$TMP/perf.recording" \
		-F comm,pid,tid,ip,sym,dso 2>"$TMP/perf.err" |
		awk -v lost="$1.lost" -v objects="$1.objects" -f "${0%/*}/../lib/perf_samples.awk" >"$1.samples"
	[ -s "$1.samples" ] || return
	tables_of "$1.samples" >"$1.tables"
	awk -f "${0%/*}/../lib/sample_names.awk" "$1.tables" "$1.samples" | same_names >"$1.names"
	cut -f 1 "$1.names" | sort | uniq -c | sed 's/^ *\([0-9]*\) /\1	/' >"$1.leaves"
	cut -f 2 "$1.names" | sed 's/^/1	/' >"$1.roots"
	echo "$(wc -l <"$1.names") $(cat "$1.lost") $PROGRAMS_HZ" >"$1.counts"
}

# try_three COMMAND...: perf 6.1 sometimes aborts at the end of a recording
try_three() {
	"$@" || "$@" || "$@"
}

# cpu_of FILE: prints the CPU time of a recording and its report, us
cpu_of() {
	awk '{ n += $3 } END { printf "%.0f\n", n }' "$1"
}

# measure_cost NAME MODE TOOL: runs a program under one tool, and writes the costs of the recording and the report to
# $TMP/NAME.MODE.TOOL.cost, unless it has a lower CPU time from before; writes the CPU time of the program to
# $TMP/NAME.MODE.TOOL.slowed
measure_cost() {
	record "$1" "$2" "$3" && cp "$TMP/$3.took" "$TMP/cost" || return
	cp "$TMP/program.took" "$TMP/$1.$2.$3.slowed"
	report "$3" || return
	cat "$TMP/$3.took" >>"$TMP/cost"
	[ -e "$TMP/$1.$2.$3.cost" ] && [ "$(cpu_of "$TMP/$1.$2.$3.cost")" -le "$(cpu_of "$TMP/cost")" ] ||
		mv "$TMP/cost" "$TMP/$1.$2.$3.cost"
}

# measure_costs NAME MODE: does that for both tools. Other processes can only add CPU time: if tprof has used more than
# perf, both are measured again, up to three times in all.
measure_costs() {
	for _ in 1 2 3; do
		for tool_of_costs in tprof perf; do
			try_three measure_cost "$1" "$2" $tool_of_costs || return
		done
		[ "$(cpu_of "$TMP/$1.$2.tprof.cost")" -gt "$(cpu_of "$TMP/$1.$2.perf.cost")" ] || return 0
		diag "$1, $2: tprof used more CPU time than perf"
	done
}

# measure_both NAME MODE: runs a program under both tools, so that they see the same work at the same speed; reads the
# recordings to $TMP/NAME.MODE.TOOL.*, and writes the CPU time of the program to $TMP/NAME.MODE.worked
measure_both() {
	record "$1" "$2" tprof perf || return
	cp "$TMP/program.took" "$TMP/$1.$2.worked"
	for tool in tprof perf; do
		"read_$tool" "$TMP/$1.$2.$tool" && continue
		diag "$tool cannot read its recording: $(tail -n 2 "$TMP/$tool.err")"
		return 1
	done
}

# measure_alone NAME: writes the CPU time of the program to $TMP/NAME.alone
measure_alone() {
	start_program "$(programs_command "$1")" && go_on && cp "$TMP/program.took" "$TMP/$1.alone"
}
