#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=38
# tprof ends when the last of the processes and threads that it samples has ended, and not before.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/compile.sh"

# ends NAME COMMAND...: the command ends by itself before the timeout, and succeeds
ends() {
	ends_name=$1
	shift
	timeout 60 "$@" >"$TMP/out" 2>"$TMP/stderr" </dev/null
	ends_code=$?
	[ $ends_code -eq 0 ] || diag "$(cat "$TMP/stderr")"
	is "$ends_name" $ends_code 0
}

# ends_with ID END NAME COMMAND...: after the process or thread was sampled for a while, the command END ends it, and
# then the tprof command ends by itself
ends_with() {
	with_id=$1 with_end=$2 with_name=$3
	shift 3
	"$@" >"$TMP/out" 2>"$TMP/stderr" </dev/null &
	with_tprof=$!
	at_exit "kill $with_tprof 2>/dev/null"
	await_session_of $with_tprof
	works "$with_id" 1000
	$with_end
	ends_by_itself "$with_name" $with_tprof
}

# left PID...: prints the number of processes that still run
left() {
	ps -o stat= -p "$(echo "$*" | tr ' ' ,)" | grep -cv '^Z'
}

# Two sessions sample the same processes at different rates at the same time. The processes are stopped until both
# sessions have started, and then run for as long as 20,000 samples take.
background "$WORKLOAD/spin" --seconds 600
one=$pid
background "$WORKLOAD/spin" --seconds 600
two=$pid
kill -STOP "$one" "$two"
"$TPROF" top --json --duration 3600 -F 1997 -p "$one,$two" >"$TMP/other" 2>"$TMP/stderr.other" &
other=$!
at_exit "kill $other 2>/dev/null"
"$TPROF" top --json --duration 3600 -F 3989 -p "$one,$two" >"$TMP/out" 2>"$TMP/stderr" &
tprof=$!
at_exit "kill $tprof 2>/dev/null"
await_session_of $other
await_session_of $tprof
kill -CONT "$one" "$two"
works "$one" 4000
end "$one"
works "$two" 4000
is '-p: not before' "$(left "$tprof")" 1
end "$two"
ends_by_itself '-p: ends with the last of them' $tprof
is '-p: both are in it' "$(jq -r '[.functions[].pid] | unique | join(" ")' "$TMP/out")" \
	"$(printf '%s\n%s\n' "$one" "$two" | sort -n | paste -sd ' ' -)"
truth '-p' "$TMP/out" '.mode == "user"' 0
ends_by_itself 'another session on them: ends as well' $other
truth 'another session on them' "$TMP/other" '.mode == "user"' 0
within 'another session on them: as many samples, at half the rate' \
	"$(jq -s 'map([.functions[].samples] | add) | .[1] / .[0] * 100' "$TMP/out" "$TMP/other")" 50 5

background "$WORKLOAD/spin" --seconds 600
ends_with "$pid" "end $pid" 'record -p' "$TPROF" record -F 997 -o "$TMP/a.pb.gz" -p "$pid"
like 'record -p: with what was counted' "$(cat "$TMP/stderr")" "$TMP/a.pb.gz: [1-9][0-9]* call stacks"
background "$WORKLOAD/spin" --seconds 600
ends_with "$pid" "end $pid" 'run -p' "$TPROF" run -F 997 -p "$pid" pass
background "$WORKLOAD/spin" --seconds 600
ends_with "$pid" "end $pid" 'top -p, several intervals' "$TPROF" top --json -d 0.3 -F 997 -p "$pid"
ledger_closes 'top -p, several intervals' "$TMP/out"

# A thread ends before its process.
cat >"$TMP/thread.py" <<'END'
import os, sys, threading, time

def work():
    print(threading.get_native_id(), file=open(sys.argv[1], "w"))
    while not os.path.exists(sys.argv[2]):
        pass

threading.Thread(target=work).start()
time.sleep(3600)
END
background python3 "$TMP/thread.py" "$TMP/thread" "$TMP/over"
await grep -q . "$TMP/thread" || bail "there is no thread: $(cat "$TMP/background.out")"
tid=$(cat "$TMP/thread")
ends_with "$tid" "touch $TMP/over" '-t' "$TPROF" top --json --duration 3600 -F 499 -t "$tid"
is '-t: before its process' "$(left "$pid")" 1
closes '-t' "$TMP/out" 0

# The number of descriptors does not depend on the number of sampled processes.
background sh -c 'for i in $(seq 200); do sleep 3600 & echo $!; done >"$0.part"; mv "$0.part" "$0"; wait' "$TMP/many"
await test -s "$TMP/many"
# shellcheck disable=SC2016 # expanded by the inner shell
check 'many, and few descriptors' sh -c 'ulimit -n 64 && exec "$@"' sh \
	"$TPROF" top --batch --duration 1 -p "$(paste -sd , "$TMP/many")"
# shellcheck disable=SC2046 # numbers of processes
kill $(cat "$TMP/many")

# family: starts a $parent and its $child, which waits for input. works_alone: ends the parent, then lets the child work
# and end.
mkfifo "$TMP/go"
sleeps() { grep -q '^State:.*S' "/proc/$1/status"; }
is_gone() { [ ! -e "/proc/$1" ]; }
family() {
	rm -f "$TMP/child"
	background sh -c "sh -c 'echo \$\$ >\"$TMP/child\"; read -r go <\"$TMP/go\"
		exec \"$WORKLOAD/spin\" --seconds 2' & exec sleep 3600"
	parent=$pid
	await test -s "$TMP/child"
	child=$(cat "$TMP/child")
	at_exit "kill $child 2>/dev/null"
	await sleeps "$child"
}
works_alone() {
	end "$parent"
	echo >"$TMP/go"
	await is_gone "$child"
}

# A child that existed at the start of tprof and has not run since is sampled, although its parent has ended when it
# works. Another process keeps tprof running after the end of the parent.
background sleep 3600
other=$pid
family
rm "$TMP/out"
"$TPROF" top --json -d 0.3 -F 997 -p "$parent,$other" >"$TMP/out" 2>"$TMP/stderr" </dev/null &
top=$!
at_exit "kill $top 2>/dev/null"
await test -s "$TMP/out" || diag "$(cat "$TMP/stderr")"
works_alone
end "$top"
like 'a child that works when its parent is gone' "$(jq -s "[.[].functions[] | select(.pid == $child).samples] |
	add // 0" "$TMP/out")" '^[1-9][0-9]'

# The same for a process that is added to a running session.
compile "$TMP/add_pid" "$BUILD/libtprof.a" "${0%/*}/programs/add_pid.c"
mkfifo "$TMP/added"
family
TPROF_FILTER_PATH=$BUILD/filters "$TMP/add_pid" "$other" "$parent" <"$TMP/added" >"$TMP/out" 2>"$TMP/stderr" &
adder=$!
exec 3>"$TMP/added"
await grep -q added "$TMP/out" || diag "$(cat "$TMP/stderr")"
works_alone
exec 3>&-
wait $adder
is 'a process is added: the client ends well' $? 0
like 'a process is added: its child works when it is gone' "$(sed -n 2p "$TMP/out")" '^[1-9][0-9]'

# A program of the kernel that found a process out of scope at its context switches looks again.
background "$WORKLOAD/duty" 0 1 5 600
rm "$TMP/out"
EVENT=off-cpu TPROF_FILTER_PATH=$BUILD/filters "$TMP/add_pid" "$other" "$pid" <"$TMP/added" >"$TMP/out" \
	2>"$TMP/stderr" &
adder=$!
exec 3>"$TMP/added"
await grep -q added "$TMP/out" || diag "$(cat "$TMP/stderr")"
sleep 0.5
exec 3>&-
wait $adder
is 'a process is added, off-cpu: the client ends well' $? 0
like 'a process is added, off-cpu: its waits count' "$(sed -n 2p "$TMP/out")" '^[1-9][0-9]'

# A zombie counts as ended.
background sh -c "exec 3<&0; sh -c 'echo \$\$ >\"$TMP/zombie\"' & exec sleep 60"
is_zombie() { grep -q '^State:.*Z' "/proc/$(cat "$TMP/zombie")/status"; }
await is_zombie
ends 'a zombie' "$TPROF" top --json --duration 300 -p "$(cat "$TMP/zombie")"

# With a command, tprof ends only when the command has ended, because it needs the exit code.
background "$WORKLOAD/spin" --seconds 600
timeout 60 "$TPROF" top --json --duration 300 -p "$pid" -- sh -c "kill $pid; sleep 1; exit 7" >"$TMP/out" \
	2>"$TMP/stderr"
is 'with a command: it ends with that' $? 7
# With --duration, tprof ends after that time although the process still runs.
background "$WORKLOAD/spin" --seconds 600
ends 'a process that goes on: the duration' "$TPROF" top --json --duration 1 -p "$pid"
is 'a process that goes on' "$(left "$pid")" 1

# Kernel threads: all are descendants of kthreadd, and have no address space. Processes that
# end make some of them work.
kthreads=$(pgrep -x kthreadd)
if [ -n "$kthreads" ]; then
	background "$WORKLOAD/spin" --seconds 600 --fork 20
	"$TPROF" top --json -F 4999 -p "$kthreads" --duration 2 >"$TMP/json" 2>"$TMP/stderr"
	is 'kernel threads: exit code' $? 0
	check 'kernel threads: samples' jq -e '.functions | length > 0' "$TMP/json"
	is 'kernel threads: all in the kernel' "$(jq -r '[.functions[].mode] | unique | join(" ")' "$TMP/json")" kernel
	is 'kernel threads: no samples of others' "$(jq -r '.functions[].pid' "$TMP/json" | sort -u |
		while read -r id; do [ ! -s "/proc/$id/cmdline" ] || echo "$id"; done)" ''
else
	skip 'kernel threads: not visible in this pid namespace'
fi

done_testing
