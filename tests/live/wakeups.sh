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

wakeups_by_command

# A wake-up is not a state of a thread: where a table has states, it is named.
for filter in wall threads reasons stacks; do
	"$TPROF" run $filter -e off-cpu,on-cpu,wakeup --json -- sh -c 'for i in 1 2 3; do sleep 0.01; done' \
		>"$TMP/json" 2>"$TMP/stderr"
	is "$filter: the states of wake-ups" "$(jq -c '[.tables[].rows[] | select(.event == "wakeup") | .members[] |
		select(.name == "state" or .name == "time").text] | unique' "$TMP/json")" '["wakeup"]'
	is "$filter: those of runs" "$(jq -c '[.tables[].rows[] | select(.event == "on-cpu") | .members[] |
		select(.name == "state" or .name == "time").text] | unique' "$TMP/json")" '["running"]'
	check "$filter: waits have others" jq -e '[.tables[].rows[] | select(.event == "off-cpu") | .members[] |
		select(.name == "state" or .name == "time").text] | unique - ["wakeup", "running"] | length > 1' \
		"$TMP/json"
done

# Threads that come and go
"$TPROF" top --json -e wakeup --duration 1 -- "$WORKLOAD/spin" --seconds 1 --fork 500 >"$TMP/out" 2>"$TMP/stderr"
grep '^{' "$TMP/out" | tail -n 1 >"$TMP/json"
ledger_closes 'forks' "$TMP/json"
rows_add_up 'forks' "$TMP/json"

refuses 'a rate' 2 '-F 99: wake-ups have no rate' "$TPROF" top -e wakeup -F 99 --duration 1
check 'a period of another event' "$TPROF" record -e cpu-clock,wakeup -c 1000000 -o "$TMP/profile" --duration 0.1
refuses 'a period' 2 '-c 2: wake-ups have no period' "$TPROF" top -e wakeup -c 2 --duration 1
refuses 'CPUs' 2 '-C cannot select wake-ups' "$TPROF" top -e wakeup -C 0 --duration 1
refuses 'a mode' 2 '--user-only cannot select wake-ups' "$TPROF" top -e wakeup --user-only --duration 1
refuses 'a modifier' 2 'event wakeup:u: wake-ups have no modifiers' "$TPROF" top -e wakeup:u --duration 1
refuses 'kept wakers' 2 'TPROF_WAKERS.. and the event wakeup exclude each other' \
	"$TPROF" run offwake -e off-cpu,wakeup --duration 1
refuses 'copies of stacks' 2 'filter dwarf: cannot follow waiting threads: it copies user stacks' \
	"$TPROF" record -e wakeup --filter dwarf -o "$TMP/none" --duration 1

done_testing
