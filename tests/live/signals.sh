#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=35 sanitized=only long
# After SIGINT, SIGTERM or SIGHUP at any time, tprof ends quickly with exit code 0 and complete JSON or no output, and
# leaves nothing behind. If it cannot end in this way, a second signal kills it.
. "${0%/*}/../lib/live.sh"

# The test runs in its own mount namespace, so that it can mount a bpf file system if none is mounted.
if [ -z "$TPROF_TEST_UNSHARED" ]; then
	rmdir "$TMP"
	TPROF_TEST_UNSHARED=1 exec unshare -m "$0"
fi
mountpoint -q /sys/fs/bpf || mount -t bpf bpf /sys/fs/bpf || bail 'no bpf file system'

leftovers() {
	find /sys/fs/bpf/tprof -mindepth 1 2>/dev/null | head -n 5
}

# moment N: prints a time between 0 and 380 ms, for N from 0 to 19: start, sampling and the first output
moment() {
	awk -v n="$1" 'BEGIN { printf "%.3f\n", n * 0.02 }'
}

# try SIGNAL N OPTION...: sends the signal at moment N; prints what is wrong
try() {
	try_signal=$1 try_moment=$(moment "$2")
	shift 2
	# Background commands of a shell without job control ignore SIGINT; env resets that.
	env --default-signal=INT,TERM,HUP "$TPROF" top --pin -d 0.1 "$@" >"$TMP/out" 2>"$TMP/err" </dev/null &
	try_pid=$!
	# The time starts at the exec of tprof; before that, the shell handles signals.
	until [ "$(cat /proc/$try_pid/comm 2>/dev/null)" = tprof ]; do :; done
	sleep "$try_moment"
	kill -s "$try_signal" $try_pid 2>/dev/null
	( timeout 60 tail -f --pid=$try_pid /dev/null || kill -9 $try_pid ) 2>/dev/null &
	try_guard=$!
	wait $try_pid
	try_code=$?
	kill $try_guard 2>/dev/null
	wait $try_guard 2>/dev/null
	# Before main(), a signal ends tprof like any other program.
	if [ $try_code -ne 0 ] && { [ $try_code -lt 128 ] || [ $try_code -eq 137 ] || [ -s "$TMP/out" ]; }; then
		echo "after $try_moment s: exit code $try_code: $(cat "$TMP/err")"
	fi
	jq -e . "$TMP/out" >/dev/null 2>&1 || [ ! -s "$TMP/out" ] || echo "after $try_moment s: torn JSON"
	[ -z "$(leftovers)" ] || echo "after $try_moment s: left behind: $(leftovers)"
}

background "$WORKLOAD/spin" --seconds 120

# The three signals have one handler, so one of them is enough at each moment; with LONG=1, each is sent at each moment.
: >"$TMP/wrong"
signals='INT TERM HUP'
for n in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19; do
	for signal in $signals; do
		try "$signal" $n --json >>"$TMP/wrong"
		[ -n "${LONG:-}" ] || break
	done
	signals="${signals#* } ${signals%% *}"
done
is 'SIGINT, SIGTERM and SIGHUP: 20 moments' "$(head -n 6 "$TMP/wrong")" ''

# Some programs send a signal twice; a second signal shortly after the first has no effect.
env --default-signal=INT "$TPROF" top --json --pin >"$TMP/out" 2>"$TMP/err" </dev/null &
twice=$!
check 'twice: there is a session' comes . leftovers
kill -INT $twice
kill -INT $twice 2>/dev/null
wait $twice
is 'twice: exit code' $? 0
check 'twice: whole JSON' jq -e . "$TMP/out"
is 'twice: nothing left behind' "$(leftovers)" ''

# If SIGHUP is ignored at the start, as with nohup, tprof ignores it. SIGINT always ends tprof, because scripts start
# background commands with SIGINT ignored and end them with it.
env --ignore-signal=INT,HUP "$TPROF" top --json --pin -- "$WORKLOAD/spin" --seconds 600 >"$TMP/out" 2>"$TMP/err" \
	</dev/null &
ignoring=$!
at_exit "kill $ignoring 2>/dev/null"
check 'ignored: there is a session' comes . leftovers
lines=$(grep -c . "$TMP/out")
kill -HUP $ignoring
goes_on() {
	[ "$(grep -c . "$TMP/out")" -gt $((lines + 2)) ]
}
# If tprof had handled the signal, it would print one last interval.
check 'ignored: it goes on' await goes_on
like 'ignored: by the command too' "$(grep SigIgn: /proc/"$(pgrep -P $ignoring -x spin)"/status)" '[37]$'
kill -INT $ignoring
wait $ignoring
is 'ignored: an interrupt ends it' $? 0
is 'ignored: nothing left behind' "$(leftovers)" ''
env --ignore-signal=TERM "$TPROF" top --json --duration 1 >"$TMP/out" 2>"$TMP/err" </dev/null
is 'ignored: it ends by itself' $? 0

# tprof is stopped for a while, as by Ctrl-Z: one interval is long, and the following ones have the usual length.
: >"$TMP/out"
env --default-signal=INT "$TPROF" run comm --json -d 1 >"$TMP/out" 2>"$TMP/err" </dev/null &
stopped=$!
at_exit "kill $stopped 2>/dev/null"
check 'stopped: it writes' comes . cat "$TMP/out"
kill -STOP $stopped
sleep 6
kill -CONT $stopped
# following: prints the sum of the durations of the four intervals after the long one
following() {
	jq -s 'map(.duration_s) | (map(. > 5) | index(true)) as $long | .[$long + 1:$long + 5] |
		select($long and length == 4) | add' "$TMP/out"
}
check 'stopped: it goes on' comes . following
is 'stopped: by whole intervals' "$(following | jq '. > 2')" true
kill -INT $stopped
wait $stopped
is 'stopped: ends with 0' $? 0

# killed SIGNAL PID: sends the signal again; succeeds if the process has ended
killed() {
	kill -s "$1" "$2"
	! grep -q . "/proc/$2/cmdline"
}

# While tprof is blocked in a write to a full pipe, the first signal has no effect, and later ones kill it.
mkfifo "$TMP/full"
background sh -c "exec 9<>'$TMP/full'; exec sleep 600"
for signal in INT:130 TERM:143 HUP:129; do
	code=${signal#*:} signal=${signal%:*}
	env --default-signal="$signal" "$TPROF" top --json -d 0.01 >"$TMP/full" 2>"$TMP/err" </dev/null &
	blocked=$!
	at_exit "kill -9 $blocked 2>/dev/null"
	check "SIG$signal, nobody reads: it waits for that" comes pipe_write cat /proc/$blocked/stack
	check "SIG$signal, nobody reads: ends nevertheless" await killed "$signal" $blocked
	kill -9 $blocked 2>/dev/null
	wait $blocked
	is "SIG$signal, nobody reads: as it ends any program" $? "$code"
done

done_testing
