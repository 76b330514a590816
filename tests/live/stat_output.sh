#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=20 sanitized=only
# Output of `tprof stat`: text, JSON, CSV, files, intervals, repeats, comparisons; exit codes; what it refuses.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/schema.sh"
faults=$WORKLOAD/faults

# As perf stat: the output of the command is untouched, the table goes to standard error.
"$TPROF" stat -- sh -c 'echo out; echo err >&2; exit 7' >"$TMP/stdout" 2>"$TMP/stderr"
is 'a command: its exit code' $? 7
is 'a command: its output' "$(cat "$TMP/stdout")" out
is 'a command: its messages' "$(head -n 1 "$TMP/stderr")" err
like 'a command: CPU time' "$(cat "$TMP/stderr")" '^ +[0-9.]+ ms +task-clock +# [0-9.]+ CPUs used$'
like 'a command: faults' "$(cat "$TMP/stderr")" '^ +[0-9]+ +page-faults +# [0-9.]+ [KM]?/s of CPU time$'
like 'a command: times' "$(cat "$TMP/stderr" | paste -sd ' ')" ' s   elapsed .* s   user .* s   system'
is 'a command: a signal' "$(code "$TPROF" stat -- sh -c 'kill -9 $$')" 137
is 'a command that is not there' "$(code "$TPROF" stat -- /nothing)" 127
"$TPROF" stat --duration 0.2 >"$TMP/stdout" 2>"$TMP/stderr"
like 'the machine: to standard output' "$(cat "$TMP/stdout")" '^# counts of the machine$'
is 'the machine: no messages' "$(cat "$TMP/stderr")" ''
check '-o' "$TPROF" stat -o "$TMP/table" -- true
like '-o: the table' "$(cat "$TMP/table")" 'task-clock'
"$TPROF" stat -e task-clock,cycles,L1-dcache-load-misses --duration 0.2 >"$TMP/stdout"
if "$TPROF" list events | grep -Eq '^cycles .* no$'; then
	like 'an event that this machine does not have' "$(cat "$TMP/stdout")" '^ +<not supported> +cycles$'
fi
"$TPROF" stat -a -e task-clock -- sleep 0.5 2>"$TMP/stderr"
like '-a with a command: the whole machine' "$(cat "$TMP/stderr")" '^# counts of the machine during sleep 0.5$'

# JSON and CSV
"$TPROF" stat -j -- true >"$TMP/json" 2>"$TMP/stderr"
"$TPROF" stat -j --per-process -n 3 --duration 0.5 >>"$TMP/json"
"$TPROF" stat -j --per-cpu -I 100 -e task-clock,faults --duration 0.35 >"$TMP/lines"
# On a busy machine, an interval can last until the next ends.
is 'intervals: all of the time, in at most four' \
	"$(jq -s 'length <= 4 and (map(.elapsed_s) | add) > 0.34' "$TMP/lines")" true
is 'intervals: each begins where the last has ended' \
	"$(jq -s '[range(1; length) as $i | .[$i].start_s - .[$i - 1].start_s - .[$i - 1].elapsed_s | fabs < 0.00001] |
		all' "$TMP/lines")" true
cat "$TMP/lines" >>"$TMP/json"
# 100 short processes, one after the other: each is in few intervals.
"$TPROF" stat -j -I 100 --per-process -e task-clock -- \
	sh -c 'i=0; while [ $i -lt 100 ]; do sleep 0.01; i=$((i + 1)); done' >"$TMP/lines"
is 'intervals: without the rows of what did not run' \
	"$(jq -s 'all(.[].rows[]; .values[0].state == "counted")' "$TMP/lines")" true
is 'intervals: all rows that did' \
	"$(jq -s '[.[].rows[] | select(.name == "sleep").pid] | unique | length' "$TMP/lines")" 100
cat "$TMP/lines" >>"$TMP/json"
"$TPROF" stat -j -r 3 -e faults,cycles -- true >"$TMP/runs"
"$TPROF" stat -j -r 5 -e faults --against "$faults 2000" -- "$faults" 1000 >"$TMP/against"
cat "$TMP/runs" "$TMP/against" >>"$TMP/json"
if have_schemas; then
	check 'JSON is valid' valid docs/tprof-stat.schema.json "$TMP/json"
else
	skip 'JSON is valid' "$NO_SCHEMAS"
fi
is 'repeats: their number' "$(jq -c '[.runs, .failed]' "$TMP/runs")" '[3,0]'
is 'a comparison: what differs' \
	"$(jq -c '.means[0] | [.event, .differs, (.low > 900), (.high < 1100)]' "$TMP/against")" \
	'["page-faults",true,true,true]'
"$TPROF" stat -r 3 -e faults -- "$faults" 1000 2>"$TMP/stderr"
like 'repeats: mean and deviation' "$(cat "$TMP/stderr")" '^ +1,[0-9]{3} +page-faults +# standard deviation [0-9.,]+ '
"$TPROF" stat -r 3 -e faults --against "$faults 2000" -- "$faults" 1000 2>"$TMP/stderr"
like 'a comparison: a row marked' "$(cat "$TMP/stderr")" \
	'^page-faults +1,[0-9]{3} +2,[0-9]{3} +\+[0-9.]+% +\+[0-9.]+% +\+[0-9.]+% +\*$'
# Without random addresses, the page faults of a program are always the same.
same() {
	setarch -R "$TPROF" stat -j -r 4 -e faults --against "$2" -- "$faults" "$1" | jq -c '.means[0] |
		[.differs, .change]'
}
is 'a comparison with itself: nothing differs' "$(same 1000 "$faults  1000 ")" '[false,0]'
is 'a comparison with itself: in a shell' "$(same 1000 "exec '$faults' 1000" | jq -c '.[1] | fabs < 20')" true
is 'a comparison with a word of the shell' \
	"$(code "$TPROF" stat -r 2 -e faults --against 'exit 9' -- true)" 9
is 'a comparison with an assignment' \
	"$(code "$TPROF" stat -r 2 -e faults --against 'A=9 true' -- true)" 0
is 'a comparison with nothing that runs' \
	"$(code "$TPROF" stat -r 2 -e faults --against /nothing -- true)" 127
"$TPROF" stat --csv -e 'task-clock,{faults,cs}' -- true >"$TMP/csv" 2>"$TMP/stderr"
is 'CSV: a header' "$(head -n 1 "$TMP/csv" | tr -d '\r')" \
	start_s,elapsed_s,name,cpu,pid,tid,event,unit,state,value,raw,enabled_ns,running_ns
is 'CSV: read by another program' "$(python3 -c '
import csv, sys
print(*[(r["event"], r["state"], r["value"] == r["raw"]) for r in csv.DictReader(open(sys.argv[1], newline=""))])' \
	"$TMP/csv")" \
	"('task-clock', 'counted', True) ('page-faults', 'counted', True) ('context-switches', 'counted', True)"
# A name that a spreadsheet would compute, and a command that would control the terminal.
odd=$(printf '=1+1\033[31m')
cp "$(command -v sleep)" "$TMP/$odd"
"$TMP/$odd" 60 &
pid=$!
at_exit "kill $pid 2>/dev/null"
"$TPROF" stat --csv --per-process -e faults -p "$pid" --duration 0.3 >"$TMP/csv" 2>"$TMP/stderr"
like 'CSV: a name is no formula' "$(cat "$TMP/csv" "$TMP/stderr")" "^[0-9.,]*,\"'=1\+1\?\[31m\","
end "$pid"
"$TPROF" stat -e faults -- true "$odd" 2>"$TMP/stderr"
like 'the command does not control the terminal' "$(cat "$TMP/stderr")" '^# counts of true =1\+1\?\[31m$'
"$TPROF" stat --csv -r 2 -e faults --against true -- true >"$TMP/csv" 2>"$TMP/stderr"
is 'CSV of a comparison: columns' "$(tr -d '\r' <"$TMP/csv" | awk -F, '{ print NF }' | sort -u)" 12

# Runs that fail
# shellcheck disable=SC2016 # of the shell there
third='echo >>"$0"; [ $(wc -l <"$0") -ne 3 ] || exit 9'
"$TPROF" stat -r 4 -e faults -- sh -c "$third" "$TMP/tries" 2>"$TMP/stderr"
is 'a run that fails: its exit code' $? 9
like 'a run that fails: how many' "$(cat "$TMP/stderr")" \
	'^tprof: 1 of 4 runs of sh .* failed, the first with exit code 9$'
# shellcheck disable=SC2016 # of the shell there
printf '#!/bin/sh\nrm "$0"\n' >"$TMP/once"
chmod +x "$TMP/once"
"$TPROF" stat -r 3 -e faults -- "$TMP/once" 2>"$TMP/stderr"
is 'a run that cannot be started: its exit code' $? 127
like 'a run that cannot be started: those before' "$(cat "$TMP/stderr")" '^# counts of .*: mean of 1 runs$'
is 'runs of what is not there' "$(code "$TPROF" stat -r 3 -- /nothing)" 127

# The end of the targets, and signals
background sleep 0.5
check '-p: ends with the process' timeout 20 "$TPROF" stat -e task-clock -p $pid
"$TPROF" stat -o "$TMP/table" -- sleep 60 &
tprof=$!
await grep -Eq '(e|ep_)poll' "/proc/$tprof/wchan"
sleep 0.3
kill -INT $tprof
pkill -INT -P $tprof sleep
wait $tprof
like 'a signal: the table is written' "$(cat "$TMP/table")" 'task-clock'

# Counting ends at the signal, and the command gets its time.
"$TPROF" stat -j -o "$TMP/table" -- sleep 60 &
tprof=$!
await grep -Eq '(e|ep_)poll' "/proc/$tprof/wchan"
sleep 0.3
kill -TERM $tprof
wait $tprof
is 'a signal: the exit code' $? 0
is 'a signal: counting ends with it' "$(jq -c '[.elapsed_s < 1.5, .user_s, .system_s]' "$TMP/table")" '[true,null,null]'
"$TPROF" stat -j --duration 0.3 -e task-clock -- sh -c 'while :; do :; done' >"$TMP/table"
is 'the command still runs: its CPU time is not known' "$(jq -c '[.user_s, .system_s]' "$TMP/table")" '[null,null]'
"$TPROF" stat --duration 0.3 -e task-clock -- sleep 60 2>"$TMP/stderr"
is 'the command still runs: no line for it' "$(grep -c ' s   \(user\|system\)$' "$TMP/stderr")" 0

# A table that cannot be written
is 'a full device: the exit code' "$(code sh -c '"$0" stat -- true 2>/dev/full' "$TPROF")" 1
is 'standard error is closed: the exit code' "$(code sh -c '"$0" stat -- true 2>&-' "$TPROF")" 1
is 'a full device, intervals: the exit code' \
	"$(code sh -c '"$0" stat -I 100 -e task-clock -- sleep 1 2>/dev/full' "$TPROF")" 1

check 'intervals: the reader closes the pipe' timeout 20 sh -c '"$0" stat -I 50 -e task-clock | head -n 1' "$TPROF"

# What is counted, in the title
"$TPROF" stat -a -r 2 -e task-clock -- true 2>"$TMP/stderr"
like 'repeats: the machine' "$(cat "$TMP/stderr")" '^# counts of the machine during true: mean of 2 runs$'
"$TPROF" stat -a -r 2 -e task-clock --against true -- true 2>"$TMP/stderr"
like 'a comparison: the machine' "$(cat "$TMP/stderr")" '^# counts of the machine$'

# The name of a thread that has called exec
# shellcheck disable=SC2016 # of the shell there
background sh -c 'sleep 0.7; exec "$0" 60' "$(command -v sleep)"
"$TPROF" stat -j --per-thread -e task-clock -t $pid --duration 1.2 >"$TMP/name-thread" &
by_thread=$!
"$TPROF" stat -j --per-process -e task-clock -t $pid --duration 1.2 >"$TMP/name-process"
wait $by_thread
is 'a name after exec' "$(cat "$TMP/name-thread" "$TMP/name-process" | jq -r '.rows[0].name' | paste -sd ' ')" \
	'sleep sleep'
end $pid

# cgroups have names only if they are mounted.
cat >"$TMP/unmounted" <<'EOF'
awk '$3 == "cgroup2" { print $2 }' /proc/mounts | tac | xargs -r umount -l
exec "$0" stat --per-cgroup -e task-clock --duration 0.1
EOF
refuses 'no cgroup v2' 4 'no cgroup v2 file system is mounted' unshare -m sh -c "$(cat "$TMP/unmounted")" "$TPROF"

many=r1
i=2
while [ $i -le 33 ]; do
	many=$many,r$(printf %x $i)
	i=$((i + 1))
done
refuses 'too many events' 2 'at most 32' "$TPROF" stat -e "$many"
refuses 'an event that does not exist' 2 'event cyclse: there is no event of this name' "$TPROF" stat -e cyclse
like 'the event that was meant' "$(cat "$TMP/stderr")" 'did you mean cycles\?'
refuses 'an event twice' 2 'event page-faults: is given twice' "$TPROF" stat -e faults -e task-clock,page-faults
refuses 'a list that ends in a comma' 2 'the name of an event is missing' "$TPROF" stat -e faults,
refuses 'a brace that is not closed' 2 'a brace is not closed' "$TPROF" stat -e '{faults,cs'
refuses 'a rate' 2 '-F: stat counts every event, so it has no rate' "$TPROF" stat -F 99
refuses 'a period' 2 '-c: stat counts every event, so it has no period' "$TPROF" stat -c 99
refuses 'a place in code' 2 'can be sampled, but not counted' "$TPROF" stat -e kprobe:do_exit
refuses 'no such process' 2 'there is no such process' "$TPROF" stat -p 4194303
refuses 'no such thread' 2 'there is no such thread' "$TPROF" stat -t 4194303
refuses 'no such CPU' 2 'not online' "$TPROF" stat -C 8000
refuses 'both modes' 2 '--user-only and --kernel-only exclude each other' "$TPROF" stat --user-only --kernel-only
refuses 'processes and threads' 2 '-p and -t exclude each other' "$TPROF" stat -p 1 -t 1
refuses 'a process and a cgroup' 2 '-G and -p exclude each other' "$TPROF" stat -p 1 -G /
refuses 'threads by cgroup' 2 '--per-cgroup and -t exclude each other' "$TPROF" stat -t 1 --per-cgroup
refuses 'a process and all' 2 '-a and -p exclude each other' "$TPROF" stat -a -p 1
refuses 'a process and a command' 2 '-p and a command exclude each other' "$TPROF" stat -p 1 -- true
refuses 'rows of two kinds' 2 'of one kind only' "$TPROF" stat --per-cpu --per-process
refuses 'two formats' 2 '--json and --csv exclude each other' "$TPROF" stat --json --csv
refuses 'repeats without a command' 2 '-r needs a command' "$TPROF" stat -r 3
refuses 'a comparison with nothing' 2 '--against needs a command' "$TPROF" stat --against true
refuses 'a comparison of one run' 2 '--against needs at least 2 runs' "$TPROF" stat -r 1 --against true -- true
refuses 'repeats by process' 2 '-r and --per-... exclude each other' "$TPROF" stat -r 2 --per-process -- true
refuses 'repeats in intervals' 2 '-r and -I exclude each other' "$TPROF" stat -r 2 -I 100 -- true
refuses 'repeats for a time' 2 '-r and --duration exclude each other' "$TPROF" stat -r 2 --duration 1 -- true
refuses 'an interval that is too short' 2 'out of range' "$TPROF" stat -I 1
refuses 'a command without --' 2 'unexpected operand' "$TPROF" stat true
refuses 'a file that cannot be written' 2 'No such file' "$TPROF" stat -o /nothing/file -- true

refuses 'a clock in one mode' 2 'a clock counts the time in all modes' "$TPROF" stat -e cpu-clock:u
refuses 'context switches in user mode' 2 'it occurs in the kernel only' "$TPROF" stat -e cs:u
check 'a clock in both modes' "$TPROF" stat -e cpu-clock:uk --duration 0.1

# What the kernel counts has no modes.
for mode in '' --user-only --kernel-only; do
	# shellcheck disable=SC2086 # words
	setarch -R "$TPROF" stat -j $mode -e faults,cs -- sh -c "$faults 1000; sleep 0.1"
done | jq '[.rows[0].values[].value]' >"$TMP/modes"
is 'modes: faults are counted as always' "$(jq -s '[.[][0]] | max - min < 20 and min > 1000' "$TMP/modes")" true
is 'modes: and context switches' "$(jq -s 'all(.[]; .[1] > 0)' "$TMP/modes")" true
# Without privileges: one's own programs in user mode, where the kernel permits that; others not.
mkdir "$TMP/bin"
cp "$TPROF" "$TMP/bin/tprof"
chmod -R a+rX "$TMP"
nobody() {
	setpriv --reuid 65534 --regid 65534 --clear-groups "$TMP/bin/tprof" "$@"
}
refuses 'not root: the machine' 4 'not permitted for the whole machine' nobody stat --duration 1
refuses 'not root: a process of root' 4 'not permitted for process 1' nobody stat --user-only -p 1 --duration 1
refuses 'not root: by process' 4 'counting per process, thread or cgroup is not permitted' nobody stat --per-process
if [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -le 2 ]; then
	nobody stat -j --user-only -e task-clock -- true >"$TMP/json" 2>"$TMP/stderr"
	is 'not root: an own program' "$(jq -r '.rows[0].values[0].state' "$TMP/json")" counted
	nobody stat -j --user-only -e cs,faults -- true >"$TMP/json" 2>"$TMP/stderr"
	if [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -eq 2 ]; then
		is 'not root: context switches, and faults' "$(jq -c '[.rows[0].values[].state]' "$TMP/json")" \
			'["not supported","counted"]'
		like 'not root: why' "$(cat "$TMP/stderr")" 'context-switches: it occurs in the kernel, which'
	fi
fi
done_testing
