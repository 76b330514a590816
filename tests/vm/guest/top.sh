# SPDX-License-Identifier: GPL-2.0-only
# `tprof top` names the functions of a program, its ledger closes, at a normal and at a high rate, and it ends with the
# sampled process. The limits for shares are wide, because emulated CPUs distort them.
. "${0%/*}/../lib/live.sh"

# spin is never in the kernel, syscalls nearly always.
background "$WORKLOAD/syscalls" 600
syscalls=$pid
background "$WORKLOAD/spin" --seconds 600
seconds=3
for hz in 99 4999; do
	check "$hz Hz: top runs" profile "$TMP/json" -F $hz
	closes "$hz Hz" "$TMP/json"
	is "$hz Hz: the functions of the program are named" "$(jq -r --argjson pid $pid '
		[.functions[] | select(.pid == $pid and .mode == "user").symbol] | unique[]' "$TMP/json" |
		grep -xE 'hot|mild|warm' | paste -sd ' ' -)" 'hot mild warm'
	like "$hz Hz: the kernel is named too" \
		"$(jq -r '.functions[] | select(.mode == "kernel").object' "$TMP/json")" kernel
	diag "$hz Hz: $(jq -c '.ledger' "$TMP/json")"
done

# The lower rate gives too few samples to check shares.
within '4999 Hz: hot() has about half' "$(share "$TMP/json" ".pid == $pid" hot)" 50 12
end "$syscalls"

# Kernels before 6.9 do not report the end of a thread. Here a thread ends before its process.
background "$WORKLOAD/spin" --threads 2 --seconds 600
check '-t: there is one' comes 2 sh -c "ls /proc/$pid/task | wc -l"
# shellcheck disable=SC2010 # numbers
tid=$(ls "/proc/$pid/task" | grep -vx "$pid")
"$TPROF" top --json --duration 3600 -t "$tid" >"$TMP/json" 2>"$TMP/stderr" &
tprof=$!
at_exit "kill $tprof 2>/dev/null"
check '-t: there is a session' await_session_of $tprof
kill -USR1 "$pid"
ends_by_itself '-t: ends with the thread' $tprof
is '-t: before its process' "$(ls "/proc/$pid/task")" "$pid"
done_testing
