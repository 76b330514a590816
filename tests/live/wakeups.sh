#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=15
# Wake-ups (the event wakeup): who ends the waits of threads, where in its code, and how long they were blocked. They
# are the ends of the waits that the event off-cpu counts, and the ledger closes.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/wakeups.sh"

wakeups_have_stacks

# shellcheck disable=SC2086 # several options
clang -g -O2 --target=bpf $FILTER_INCLUDE -c "${0%/*}/filters/wake_members.bpf.c" -o "$TMP/wake_members.bpf.o" ||
	bail 'cannot compile'
wakeups_end_waits "$TMP/wake_members.bpf.o"

# All threads, by the filters of the command
"$TPROF" top --json -e wakeup --duration 1 >"$TMP/json" 2>"$TMP/stderr"
is 'top: exit code' $? 0
closes 'top' "$TMP/json" 0
is 'top: the unit' "$(jq -r '"\(.event) \(.unit)"' "$TMP/json")" 'wakeup ns'
like 'top: the function that wakes' "$(jq -r '.functions[].symbol' "$TMP/json")" \
	'hrtimer_wakeup|swake_up|autoremove_wake'
"$TPROF" record -e wakeup -o "$TMP/profile" -- "$WORKLOAD/wakers" 2>"$TMP/stderr"
is 'record: exit code' $? 0
"$TPROF" export -i "$TMP/profile" -f json >"$TMP/json"
ledger_closes 'record' "$TMP/json"
rows_add_up 'record' "$TMP/json"
is 'record: the functions that wake' "$(jq -r '.functions[] | select(.weight > 1e8).symbol' "$TMP/json" |
	grep -cE 'wake|timer|futex|exit')" "$(jq '[.functions[] | select(.weight > 1e8)] | length' "$TMP/json")"
"$TPROF" export -i "$TMP/profile" -f folded -o "$TMP/folded"
like 'record: from which functions' "$(cat "$TMP/folded")" ';wakes_pipe;.*;vfs_write;.*_wake_function '

"$TPROF" record -e wakeup --raw -o "$TMP/raw.traw" -- "$WORKLOAD/wakers" 2>"$TMP/stderr"
"$TPROF" export -i "$TMP/raw.traw" -f json >"$TMP/json"
ledger_closes 'record --raw' "$TMP/json"
rows_add_up 'record --raw' "$TMP/json"

# Short waits are left out.
"$TPROF" run wakers -e wakeup --min 5ms --json -- "$WORKLOAD/hands" 2000 >"$TMP/json" 2>"$TMP/stderr"
ledger_closes 'a minimum' "$TMP/json"
check 'a minimum: shorter ones are only counted' jq -e '.ledger.below_min > 1000 and .ledger.done < 500' "$TMP/json"

# Threads that come and go
"$TPROF" top --json -e wakeup --duration 1 -- "$WORKLOAD/spin" --seconds 1 --fork 500 >"$TMP/out" 2>"$TMP/stderr"
grep '^{' "$TMP/out" | tail -n 1 >"$TMP/json"
ledger_closes 'forks' "$TMP/json"
rows_add_up 'forks' "$TMP/json"

refuses 'a rate' 2 '-F 99: wake-ups have no rate' "$TPROF" top -e wakeup -F 99 --duration 1
refuses 'a period' 2 '-c 2: wake-ups have no period' "$TPROF" top -e wakeup -c 2 --duration 1
refuses 'CPUs' 2 '-C cannot select wake-ups' "$TPROF" top -e wakeup -C 0 --duration 1
refuses 'a mode' 2 '--user-only cannot select wake-ups' "$TPROF" top -e wakeup --user-only --duration 1
refuses 'a modifier' 4 'event wakeup:u: wake-ups have no modifiers' "$TPROF" top -e wakeup:u --duration 1
refuses 'kept wakers' 4 'TPROF_WAKERS.. and the event wakeup exclude each other' \
	"$TPROF" run offwake -e off-cpu,wakeup --duration 1
refuses 'copies of stacks' 4 'filter dwarf: cannot follow waiting threads: it copies user stacks' \
	"$TPROF" record -e wakeup --call-graph dwarf -o "$TMP/none" --duration 1

done_testing
