# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=x86-64,next all=x86-64 seconds=120
# The timer of each CPU is programmed on that CPU, only while a session runs, and samples what runs there: a task that
# is pinned to a CPU has all its samples there.
. "${0%/*}/../lib/live.sh"

# armed: prints the numbers of the CPUs on which the timer of the module is armed
armed() {
	awk '/^cpu: / { cpu = $2 } /timer_fired/ { print cpu }' /proc/timer_list | sort -un | tr '\n' ' '
}

# The timers of idle CPUs are stopped.
for cpu in 0 1; do
	lazy taskset -c $cpu "$WORKLOAD/spin" --seconds 3600
	eval "spin$cpu=$pid"
done
is 'before a session, no timer is armed' "$(armed)" ''
background "$TPROF" top --batch -d 300 -e cpu-clock -C 1
await_sessions 1
await sh -c "grep -q timer_fired /proc/timer_list"
is 'a session on CPU 1: armed there only' "$(armed)" '1 '
end "$pid"
is 'after the session, no timer is armed' "$(armed)" ''
background "$TPROF" top --batch -d 300 -e cpu-clock
await_sessions 1
# shellcheck disable=SC2317 # called by await
on_both() {
	[ "$(armed)" = '0 1 ' ]
}
check 'a session on all CPUs: armed on each' await on_both
end "$pid"

# shellcheck disable=SC2154 # set by eval
for cpu in 0 1; do
	eval "spin=\$spin$cpu"
	"$TPROF" run --json --duration 2 -e cpu-clock -p "$spin" cpu >"$TMP/json" 2>"$TMP/stderr"
	is "pinned to CPU $cpu: it has samples there only" \
		"$(jq -r '.tables[].rows[].key' "$TMP/json" | sed 's/ .*//' | sort -u)" "cpu=$cpu"
	ledger_closes "pinned to CPU $cpu" "$TMP/json"
done
done_testing
