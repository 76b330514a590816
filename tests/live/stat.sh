#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=56
# `tprof stat` counts what the kernel counts: perf stat of the same processes, getrusage(2), schedstat; of commands with
# their children, processes, threads and cgroups. No unit is missed, and the sum over units is the total.
. "${0%/*}/../lib/live.sh"

# value FILE EVENT [ROW]: prints the value of an event in the first JSON object; ROW is a jq condition
value() {
	jq -rs --arg event "$2" '.[0].rows[] | select('"${3:-true}"').values[] | select(.event == $event).value' "$1"
}

# total FILE EVENT: the sum over all rows
total() {
	jq -rs --arg event "$2" '[.[0].rows[].values[] | select(.event == $event).value // 0] | add' "$1"
}

# stat OPTION...: writes JSON to $TMP/json
stat() {
	"$TPROF" stat -j -o "$TMP/json" "$@" 2>"$TMP/stderr" || {
		diag "exit code $?: tprof stat $*: $(cat "$TMP/stderr")"
		return 1
	}
}

# held COMMAND...: runs a shell command in the background as $pid; it waits for `release`
held() {
	rm -f "$TMP/go"
	mkfifo "$TMP/go"
	background sh -c 'read -r line <"$0"; eval "$1"' "$TMP/go" "$*"
	await grep -q 'open\|fifo\|pipe\|wait_for_partner' "/proc/$pid/wchan" ||
		diag "it waits in $(cat "/proc/$pid/wchan")"
}

release() {
	echo >"$TMP/go"
}

# counting PID: waits until this process waits for its events
counting() {
	await grep -Eq '(e|ep_)?poll|sigsuspend|nanosleep|do_wait|pause' "/proc/$1/wchan"
}

# The same processes, from the same time to the same time: threads, forks, execs and exits.
work='for i in 1 2 3 4 5 6 7 8 9 10; do "$1"/faults 1000 & "$1"/faults 2000; wait; done
	"$1"/spin --threads 2 --seconds 1'
held "set -- $WORKLOAD; $work"
both=$pid
perf stat -x, -o "$TMP/perf" -e task-clock,page-faults,context-switches -p $both 2>"$TMP/stderr" &
perf=$!
"$TPROF" stat -j -o "$TMP/json" -e '{task-clock,page-faults},context-switches' -p $both 2>"$TMP/stderr" &
tprof=$!
counting $perf
counting $tprof
sleep 0.5
release
wait $tprof
is 'a process: stat ends with it' $? 0
wait $perf
perf_value() {
	awk -F, -v event="$1" '$3 == event { print $1 }' "$TMP/perf"
}
diag "perf: $(grep -v '^#' "$TMP/perf" | cut -d , -f 1-3 | paste -sd ' ')"
is 'page faults: as many as perf stat counts' "$(value "$TMP/json" page-faults)" "$(perf_value page-faults)"
at_most 'page faults: those of children too' 30000 "$(value "$TMP/json" page-faults)"
is 'context switches: as many as perf stat counts' "$(value "$TMP/json" context-switches)" \
	"$(perf_value context-switches)"
within 'task-clock: within 0.5 % of perf stat' "$(value "$TMP/json" task-clock)" \
	"$(perf_value task-clock | awk '{ print $1 * 1000000 }')" "$(perf_value task-clock | awk '{ print $1 * 5000 }')"
is 'a group is named after its first event' "$(jq -r '[.rows[0].values[].group] | join(" ")' "$TMP/json")" \
	'task-clock task-clock context-switches'

# A command is counted from exec on.
check 'a command' stat -e page-faults,task-clock -- "$WORKLOAD/faults" 20000
within 'a command: its faults and those of its loader' "$(value "$TMP/json" page-faults)" 20100 100
check 'a command with children' stat -e page-faults -- sh -c "$WORKLOAD/faults 5000 & $WORKLOAD/faults 5000; wait"
within 'a command with children: their faults' "$(value "$TMP/json" page-faults)" 10400 400
check 'getrusage' stat -e page-faults,context-switches -- python3 -c '
import resource, subprocess, sys
def now():
	sums = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
	return [sum(s.ru_minflt + s.ru_majflt for s in sums), sum(s.ru_nvcsw + s.ru_nivcsw for s in sums)]
for i in range(20):
	subprocess.run([sys.argv[1] + "/faults", "1000"])
print(*now(), file=open(sys.argv[2], "w"))' "$WORKLOAD" "$TMP/rusage"
read -r faults switches <"$TMP/rusage"
diag "getrusage: $faults faults, $switches switches"
# getrusage begins at the fork of tprof; what follows the last call is the exit of python.
within 'getrusage: faults' "$(value "$TMP/json" page-faults)" "$faults" $((faults / 100))
# The kernel ends the counters of a process at the start of its exit. perf stat counts the same.
at_most 'getrusage: context switches: no more' "$(value "$TMP/json" context-switches)" "$switches"
at_most 'getrusage: and hardly less' $((switches - 21 * 6)) "$(value "$TMP/json" context-switches)"

# On certain CPUs, an event waits while the process runs elsewhere, which is no multiplexing.
for options in '-C 0-1' --per-cpu; do
	# shellcheck disable=SC2086 # words
	check "a command, $options" stat $options -e '{page-faults,task-clock}' -- "$WORKLOAD/faults" 20000
	within "a command, $options: its faults" "$(total "$TMP/json" page-faults)" 20100 100
	is "a command, $options: counted all the time" \
		"$(jq 'all(.rows[].values[]; (.value // 0) == .raw and .enabled_ns == .running_ns)' "$TMP/json")" true
done

# CPU time. The kernel updates its own account of a process when it leaves the CPU: a little after it is called stopped.
schedstat() {
	kill -STOP $spin
	await grep -q do_signal_stop "/proc/$spin/wchan"
	cut -d ' ' -f 1 "/proc/$spin/schedstat"
}
background "$WORKLOAD/spin" --seconds 600
spin=$pid
before=$(schedstat)
stolen=$(stolen_ns)
"$TPROF" stat -j -o "$TMP/json" -e task-clock -p $spin 2>"$TMP/stderr" &
tprof=$!
counting $tprof
kill -CONT $spin
works $spin 2000
after=$(schedstat)
stolen=$(stolen_at_most "$stolen")
kill -INT $tprof
wait $tprof
is 'CPU time: exit code' $? 0
kill -CONT $spin
counted=$(value "$TMP/json" task-clock)
at_most 'CPU time: all that schedstat has' $(((after - before) * 199 / 200)) "$counted"
at_most 'CPU time: that of schedstat, and of the hypervisor' "$counted" $(((after - before) * 201 / 200 + stolen))
check 'a thread' stat -e task-clock,context-switches -t $spin --duration 1 --per-thread
is 'a thread: its ids' "$(jq -c '.rows[0] | [.name, .pid, .tid, .ended]' "$TMP/json")" "[\"spin\",$spin,$spin,false]"
check 'a thread, --per-cpu' stat -e task-clock -t $spin --duration 0.5 --per-cpu
at_most 'a thread, --per-cpu: no more than the time' "$(total "$TMP/json" task-clock)" \
	"$(jq '.elapsed_s * 1.01e9' "$TMP/json")"

# The whole machine, by CPU and by process: nothing is missing.
nr_cpus=$(grep -c '^processor' /proc/cpuinfo)
check 'the machine' stat -e task-clock --duration 1
within 'the machine: each CPU counts the time' "$(value "$TMP/json" task-clock)" \
	"$(jq ".elapsed_s * $nr_cpus * 1e9" "$TMP/json")" $((nr_cpus * 20000000))
check '--per-cpu' stat -e task-clock --duration 1 --per-cpu
is '--per-cpu: a row each' "$(jq '.rows | length' "$TMP/json")" "$nr_cpus"
check '-C' stat -e task-clock --duration 1 --per-cpu -C 0
is '-C: one row' "$(jq -c '[.rows[].cpu]' "$TMP/json")" '[0]'
for per in process thread cgroup; do
	check "--per-$per" stat -e task-clock,context-switches,page-faults --duration 2 --per-$per
	within "--per-$per: the sum is the time of all CPUs" "$(total "$TMP/json" task-clock)" \
		"$(jq ".elapsed_s * $nr_cpus * 1e9" "$TMP/json")" $((nr_cpus * 40000000))
done
check '--per-process, a tree' stat --per-process -e page-faults,task-clock -- \
	sh -c "i=0; while [ \$i -lt 300 ]; do $WORKLOAD/faults 500; i=\$((i + 1)); done"
is '--per-process: no process is missed, however short' \
	"$(jq '[.rows[] | select(.name == "faults" and .values[0].value >= 500)] | length' "$TMP/json")" 300
is '--per-process: and no other is counted' \
	"$(jq -r '[.rows[] | select(.name != "faults").name] | join(" ")' "$TMP/json")" sh
sum=$(total "$TMP/json" page-faults)
check '--per-process: the same in total' stat -e page-faults -- \
	sh -c "i=0; while [ \$i -lt 300 ]; do $WORKLOAD/faults 500; i=\$((i + 1)); done"
within '--per-process: the same in total' "$sum" "$(value "$TMP/json" page-faults)" $((sum / 50))
check '--per-process: with -p' stat --per-process -e task-clock -p $spin --duration 1
is '--per-process: with -p, that process' "$(jq -c '[.rows[].pid]' "$TMP/json")" "[$spin]"

# A hundred cgroups, and one that goes away
root=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
if [ -n "$root" ] && mkdir "$root/tprof-stat-$$" 2>/dev/null; then
	top=/tprof-stat-$$
	at_exit "rmdir $root$top/*/ $root$top"
	groups=
	i=0
	while [ $i -lt 100 ]; do
		mkdir "$root$top/$i"
		groups="$groups -G $top/$i"
		i=$((i + 1))
	done
	# shellcheck disable=SC2016 # of the shell there
	work='i=0; while [ $i -lt 100 ]; do sh -c "echo \$\$ >$0/$i/cgroup.procs; exec $1/faults $((100 + 10 * $i))"
		i=$((i + 1)); done'
	# shellcheck disable=SC2086 # words
	check '100 cgroups' stat $groups -G "$top" --per-cgroup -e page-faults,task-clock -- \
		sh -c "$work" "$root$top" "$WORKLOAD"
	is '100 cgroups: a row each, and one of their parent' "$(jq '.rows | length' "$TMP/json")" 101
	is 'their parent: the sum' "$(jq '.rows | map(.values[0].value) | .[-1] - (.[:-1] | add)' "$TMP/json")" 0
	is '100 cgroups: each has its own faults' "$(jq '[.rows[:-1] | to_entries[] | .key as $i |
		.value.values[0].value - (100 + 10 * $i) | select(. >= 0 and . <= 200)] | length' "$TMP/json")" 100
	sum=$(jq '.rows[-1].values[0].value' "$TMP/json")
	# shellcheck disable=SC2086 # words
	check 'all in total' stat $groups -G "$top" -e page-faults -- sh -c "$work" "$root$top" "$WORKLOAD"
	# The files that the programs map may be in memory now, or no longer, which changes their faults.
	within 'all in total: no task is counted twice' "$(value "$TMP/json" page-faults)" "$sum" $((sum / 5))
	mkdir "$root$top/gone"
	"$TPROF" stat -j -o "$TMP/json" -G "$top/gone" -G "$top/1" --per-cgroup -e page-faults --duration 2 &
	tprof=$!
	counting $tprof
	sleep 0.5
	sh -c "echo \$\$ >$root$top/gone/cgroup.procs; exec $WORKLOAD/faults 700"
	await rmdir "$root$top/gone"
	wait $tprof
	is 'a cgroup that goes away: it keeps its counts, and says so' \
		"$(jq -c '[.rows[0].ended, .rows[0].values[0].value >= 700, .rows[1].ended]' "$TMP/json")" \
		'[true,true,false]'
	refuses 'a cgroup that is not there' 2 'there is no such cgroup' "$TPROF" stat -G "$top/none" --duration 1
	refuses 'a cgroup twice' 2 'is given twice' "$TPROF" stat -G "$top/1" -G "$top/1" --duration 1
else
	skip '100 cgroups' 'cgroups cannot be made here'
fi

# Threads and processes that end
background "$WORKLOAD/spin" --seconds 1
"$TPROF" stat -j -I 200 -e task-clock -t $pid --per-thread >"$TMP/lines" 2>"$TMP/stderr"
is 'a thread that ends: so does stat' $? 0
is 'a thread that ends: it says so' "$(tail -n 1 "$TMP/lines" | jq '.rows[0].ended')" true
check 'a thread that ends: intervals before' [ "$(wc -l <"$TMP/lines")" -ge 3 ]

# A shell that has become awk does not reap what it has started. It ends when that is a zombie.
zombie='BEGIN { while (state != "Z") { while ((getline < status) > 0) if ($1 == "State:") state = $2; close(status) } }'
for per in --per-thread --per-process; do
	# shellcheck disable=SC2016 # sh expands it
	check "a zombie, $per" stat $per -e page-faults -- \
		sh -c '"$0" 2000 & exec awk -v status=/proc/$!/status "$1"' "$WORKLOAD/faults" "$zombie"
	is "a zombie, $per: it has ended" \
		"$(jq -c '[.rows[] | select(.name == "faults").ended]' "$TMP/json")" '[true]'
done

# Threads that do not run, and threads that start and end: each has a row, with all that it used.
background "$WORKLOAD/threads" 20 300
threads=$pid
asleep() {
	[ "$(grep -h '^State:' /proc/$threads/task/*/status | grep -c sleeping)" -eq 3 ]
}
await asleep
check 'threads that do not run' stat -e page-faults -p $threads --per-thread --duration 0.3
is 'threads that do not run: each has a row' \
	"$(jq -c '[.rows[] | [.name, .pid, .values[0].state, .ended]] | sort' "$TMP/json")" \
	"[[\"sleeper\",$threads,\"not counted\",false],[\"sleeper\",$threads,\"not counted\",false],\
[\"threads\",$threads,\"not counted\",false]]"
"$TPROF" stat -j -o "$TMP/json" -e page-faults,context-switches -p $threads --per-thread 2>"$TMP/stderr" &
tprof=$!
opened() {
	ls -l /proc/$tprof/fd | grep -q bpf_link
}
await opened
sleep 0.5
kill -USR1 $threads
idles() {
	[ "$(ls /proc/$threads/task | wc -l)" -eq 3 ] && [ "$(sed 's/.*) //' /proc/$threads/stat | cut -c 1)" = S ]
}
await idles
kill -USR1 $threads
wait $tprof
is 'threads that start and end: exit code' $? 0
is 'threads that start and end: each has a row' \
	"$(jq -c '[.rows[] | select(.ended) | .name] | group_by(.) | map([.[0], length])' "$TMP/json")" \
	'[["faulter",20],["sleeper",2],["threads",1]]'
within 'threads that start and end: with all faults' \
	"$(jq '[.rows[] | select(.name == "faulter").values[0].value] | add' "$TMP/json")" 6200 200
is 'threads that start and end: up to their last switch' \
	"$(jq -c '[.rows[] | select(.values[1].value < 1)] | length' "$TMP/json")" 0

end $spin
done_testing
