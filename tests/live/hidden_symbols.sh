#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Waits, runs and wake-ups while the kernel hides its symbols (the sysctl kernel.kptr_restrict): what happens in the
# kernel is shown as such, without a name, and a warning says why. Runs alone because it changes the sysctl.
. "${0%/*}/../lib/live.sh"

restrict=/proc/sys/kernel/kptr_restrict
before=$(cat $restrict)
at_exit "echo $before >$restrict"
echo 2 >$restrict || skip_all "cannot write $restrict"

background "$WORKLOAD/hands" 1000000000
hidden='kernel functions have no names: /proc/kallsyms hides their addresses .*kptr_restrict'

for event in wakeup off-cpu on-cpu; do
	check "$event: top runs" profile "$TMP/json" -e "$event" --duration 1
	like "$event: the warning" "$(cat "$TMP/stderr")" "$hidden"
	ledger_closes "$event" "$TMP/json"
	is "$event: all is in the kernel, without a name" \
		"$(jq -c '[.functions[] | [.mode, .symbol]] | unique' "$TMP/json")" \
		'[["kernel","[unknown kernel function]"]]'
done

# A thread that is woken by an interrupt has one frame of its waker.
"$TPROF" run wakers --json --duration 1 >"$TMP/json" 2>"$TMP/stderr"
like 'call stacks: the warning' "$(cat "$TMP/stderr")" "$hidden"
is 'call stacks: all are there' "$(jq '[.tables[].rows[] | .members[] | select(.name == "kernel").text |
	select(startswith("[unknown kernel function]") | not)] | length' "$TMP/json")" 0
"$TPROF" run pass -e wakeup --json --duration 0.3 2>"$TMP/stderr" | jq -c '.sample | select(.) | [.mode, .symbol]' |
	sort -u >"$TMP/kept"
is 'kept samples' "$(cat "$TMP/kept")" '["kernel","[unknown kernel function]"]'

done_testing
