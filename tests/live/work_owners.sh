#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The kernel's work for a terminal is charged to the process that writes to it; the shipped filter owners tells both.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/work_owners.sh"

# shellcheck disable=SC2086 # options
clang -g -O2 --target=bpf $FILTER_INCLUDE -c "${0%/*}/filters/owner_members.bpf.c" -o "$TMP/members.bpf.o" ||
	bail 'the filter does not compile'
owners_of_terminal perf "$TMP/members.bpf.o"

background "$WORKLOAD/typist" 3600
"$TPROF" run owners --engine perf -F 997 --duration 2 --json >"$TMP/json" 2>"$TMP/stderr"
ledger_closes owners "$TMP/json"
check 'owners: the process that worked, and the one for which it did' jq -e --arg owner "typist ($pid)" '
	[.tables[].rows[] | .members | map({(.name): (.symbol // .text)}) | add |
	 select(.ip | test("^n_tty_receive")) | (.tgid | test("^kworker/")) and .owner == $owner] |
	length > 0 and all' "$TMP/json"
check 'owners: a process works for itself' jq -e --arg owner "typist ($pid)" '
	[.tables[].rows[] | .members | map({(.name): .text}) | add | select(.tgid == $owner) | .owner == $owner] |
	length > 0 and all' "$TMP/json"
done_testing
