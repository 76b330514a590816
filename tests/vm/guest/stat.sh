# SPDX-License-Identifier: GPL-2.0-only
# vm: seconds=120
# `tprof stat` counts a known number of page faults, processes, and CPUs that go offline and come back.
. "${0%/*}/../lib/live.sh"

value() {
	jq -r --arg event "$2" '.rows['"${3:-0}"'].values[] | select(.event == $event).value' "$1"
}

stat() {
	"$TPROF" stat -j -o "$TMP/json" "$@" 2>"$TMP/stderr" || {
		diag "tprof stat $*: $(cat "$TMP/stderr")"
		return 1
	}
}

command="$WORKLOAD/faults 16000"
check 'a command' stat -e '{page-faults,task-clock},context-switches' -- $command
within 'a command: its faults and those of its loader' "$(value "$TMP/json" page-faults)" 16100 100
check 'children' stat -e page-faults -- sh -c "$command & $command; wait"
within 'children: their faults too' "$(value "$TMP/json" page-faults)" 32400 400

# Processes, threads and cgroups are counted at context switches.
check '--per-process' stat --per-process -e page-faults,task-clock,context-switches -- \
	sh -c "for i in 1 2 3 4 5 6 7 8 9 10; do $WORKLOAD/faults 1000; done"
is '--per-process: each process' \
	"$(jq '[.rows[] | select(.name == "faults" and .values[0].value >= 1000)] | length' "$TMP/json")" 10
for per in process thread cgroup; do
	check "--per-$per: the machine" stat --per-$per -e task-clock --duration 1
	within "--per-$per: the sum is the time of both CPUs" \
		"$(jq '[.rows[].values[0].value // 0] | add' "$TMP/json")" \
		"$(jq '.elapsed_s * 2e9' "$TMP/json")" 100000000
done

# Threads that do not run, and threads that start and end
"$WORKLOAD/threads" 5 300 &
threads=$!
three() {
	[ "$(ls /proc/$threads/task | wc -l)" -eq 3 ]
}
await three
sleep 1
check 'threads that do not run' stat -e page-faults -p $threads --per-thread --duration 0.3
is 'threads that do not run: each has a row' \
	"$(jq -c '[.rows[] | .name + " " + .values[0].state] | sort' "$TMP/json")" \
	'["sleeper not counted","sleeper not counted","threads not counted"]'
"$TPROF" stat -j -o "$TMP/json" -e page-faults -p $threads --per-thread 2>"$TMP/stderr" &
tprof=$!
sleep 3
kill -USR1 $threads
sleep 2
kill -USR1 $threads
wait $tprof
is 'threads that start and end: each has a row' \
	"$(jq '[.rows[] | select(.name == "faulter" and .ended and .values[0].value >= 300)] | length' "$TMP/json")" 5

root=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
if [ -n "$root" ]; then
	mkdir "$root/a" "$root/b"
	check '-G' stat -G /a -G /b --per-cgroup -e page-faults -- \
		sh -c 'echo $$ >$0/a/cgroup.procs; $1/faults 1000; echo $$ >$0/b/cgroup.procs; $1/faults 5000
			echo $$ >$0/cgroup.procs' "$root" "$WORKLOAD"
	within '-G: the faults of one' "$(value "$TMP/json" page-faults 0)" 1150 150
	within '-G: the faults of the other' "$(value "$TMP/json" page-faults 1)" 5150 150
	rmdir "$root/a" "$root/b"
else
	diag 'no cgroup v2 file system is mounted'
fi

# CPU 1 goes offline and comes back: its counts remain, and it is counted again.
cpu=/sys/devices/system/cpu/cpu1/online
if [ -w $cpu ]; then
	for per in cpu process; do
		"$TPROF" stat -j -o "$TMP/json" -I 200 --per-$per -e task-clock --duration 6 2>"$TMP/stderr" &
		tprof=$!
		sleep 1.5
		echo 0 >$cpu
		sleep 1.5
		echo 1 >$cpu
		wait $tprof
		is "--per-$per: a CPU that goes and comes back" $? 0
		cp "$TMP/json" "$TMP/$per"
	done
	jq -c '[.start_s, (.rows[] | [.cpu, .ended, .values[0].value])]' "$TMP/cpu" | sed 's/^/# /'
	is 'CPU 0 is counted in each interval' \
		"$(jq -s 'all(.[]; .rows[0].values[0].state == "counted")' "$TMP/cpu")" true
	is 'CPU 1 is, then is not, and is again' "$(jq -cs '[.[:-1][].rows[1].values[0].state] |
		[.[0], any(.[]; . == "not counted"), .[-1]]' "$TMP/cpu")" '["counted",true,"counted"]'
	is 'CPU 1 was offline' \
		"$(jq -s 'any(.[]; .rows[1].ended) and (.[-1].rows[1].ended | not)' "$TMP/cpu")" true
	for per in cpu process; do
		# 6 s of CPU 0, 4.5 s of CPU 1 less the time until it is noticed, twice an interval.
		time_ms=$(jq -s '[.[].rows[].values[0].value // 0] | add / 1e6 | floor' "$TMP/$per")
		within "--per-$per: the time of both CPUs, ms" "$time_ms" 10300 700
	done
else
	not_ok 'CPU 1 can go offline'
fi
refuses 'no such process' 2 'there is no such process' "$TPROF" stat -p 4194303
done_testing
