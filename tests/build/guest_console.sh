#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# guest.awk of tests/vm reports every kind of failure that the console of a guest can show.
. "${0%/*}/../lib/tap.sh"
awk_file=$(dirname "$0")/../vm/machine/guest.awk

# console LINE...: runs guest.awk with a console of these lines; $bad has the failed cases
console() {
	printf '%s\r\n' "$@" |
		awk -v machine=6.1 -v seconds=3.5 -v how='qemu ended' -f "$awk_file" >"$TMP/tap"
	bad=$(sed -n 's/^not ok [0-9]* - 6.1: //p' "$TMP/tap")
}

good='@boot 2.1 6.1.0|@begin a 2.1|ok 1 - one|1..1|@kernel|[ 2.2] eth0: up|@end a 0 4.6'
good="$good|@log|[ 0.1] Linux version 6.1|@over"
with_lines() {
	old_ifs=$IFS
	IFS='|'
	set -f
	# shellcheck disable=SC2086 # lines are words here
	set -- $1
	set +f
	IFS=$old_ifs
	console "$@"
}

with_lines "$good"
is 'a good run' "$bad" ''
is 'a good run: plan' "$(grep '^1\.\.' "$TMP/tap")" 1..3
like 'a good run: its line in the table' "$(cat "$TMP/tap")" '^#: +2\.5 s  ok +a$'
like 'a good run: case' "$(cat "$TMP/tap")" '^ok 2 - 6.1: a: one$'

with_lines "$(echo "$good" | sed 's/ok 1 - one/not ok 1 - one|# why/; s/@end a 0/@end a 1/')"
is 'a failed case' "$bad" 'a: one'
like 'a failed case: why' "$(cat "$TMP/tap")" '^# why'
like 'a failed case: its line in the table' "$(cat "$TMP/tap")" '^#: +2\.5 s  FAIL +a$'
with_lines "$(echo "$good" | sed 's/@end a 0/@end a 139/')"
is 'a crash' "$bad" 'a: exit code 139 though no case failed'
with_lines "$(echo "$good" | sed 's/@end a 0/@end a 143/')"
is 'time run out' "$bad" 'a: out of time'
with_lines "$(echo "$good" | sed 's/1\.\.1|//')"
is 'no plan' "$bad" 'a: no plan'
with_lines "$(echo "$good" | sed 's/1\.\.1/1..2/')"
is 'a plan not kept' "$bad" 'a: 2 cases planned, 1 seen'
with_lines "$(echo "$good" | sed 's/@kernel/@fail leaves pins|@kernel/')"
is 'a test that leaves something behind' "$bad" 'a: leaves pins'
with_lines "$(echo "$good" | sed 's/Linux version.*|/WARNING: CPU: 0 PID: 7 at kernel|/')"
is 'a warning of the kernel while it boots' "$bad" 'the kernel has nothing to complain about'
with_lines '@boot 2.1 6.1.0|@begin a 2.1|ok 1 - one|Kernel panic - not syncing: Oops'
is 'a panic' "$bad" "$(printf 'a: the guest ends in it\nthe kernel has nothing to complain about')"
while read -r line; do
	with_lines "$(echo "$good" | sed "s~eth0: up~$line~")"
	is "in a test: $line" "$bad" 'a: the kernel has nothing to complain about'
	like "in a test: $line: is shown" "$(cat "$TMP/tap")" "^# \\[ 2.2\\] $line"
done <<'END'
WARNING: possible circular locking dependency detected
WARNING: suspicious RCU usage
BUG: scheduling while atomic: spin/7
BUG: KASAN: slab-out-of-bounds in tprof_x
BUG: sleeping function called from invalid context
Oops: general protection fault
INFO: task spin:7 blocked for more than 120 seconds.
rcu: INFO: rcu_preempt self-detected stall on CPU
watchdog: BUG: soft lockup - CPU#1 stuck for 22s!
list_add corruption. next->prev should be prev
refcount_t: underflow; use-after-free.
Unable to handle kernel paging request at virtual address
UBSAN: array-index-out-of-bounds
kmemleak: 3 new suspected memory leaks
END
# report LINES: a good run, with these lines in the kernel log
report() {
	with_lines "$(echo "$good" | sed "s~eth0: up~$1|eth0: up~")"
}

# race FUNCTION [WHERE]: the kernel reports a data race with FUNCTION as one side
race() {
	report "BUG: KCSAN: data-race in ${2:-a / b}|read to 0x1 of 8 bytes by task 7 on cpu 0:| $1|=========="
}
race 'a+0x1/0x2'
is 'a data race of others' "$bad" ''
race 'tprof_a+0x1/0x2 [tprof]'
is 'a data race of ours' "$bad" 'a: the kernel has nothing to complain about'
like 'a data race of ours: is shown' "$(cat "$TMP/tap")" '^# .*data-race in a / b'
race 'tprof_a+0x1/0x2 [tprof]' 'ktime_get_mono_fast_ns+0x88/0x170'
is 'a data race of a clock that we read' "$bad" ''
# dying TASK: the kernel reports that tasks are left on a CPU that goes offline, and their names
dying() {
	report "Dying CPU not properly vacated!|WARNING: at x|CPU1 enqueued tasks (2 total):|pid: 7, name: $1"
}
dying migration/1
is 'a server taken for a task that a CPU is left with' "$bad" ''
dying spin
is 'a task that a CPU is left with' "$bad" 'a: the kernel has nothing to complain about'
report 'Dying CPU not properly vacated!|WARNING: CPU: 1 at sched_cpu_dying'
is 'a CPU that is not left, and no list' "$bad" 'a: the kernel has nothing to complain about'
for report in 'vmalloc error: size 4096' \
	'WARNING: CPU: 1 PID: 4 at kernel/trace/trace_events.c:2628 event_define_fields+0x302/0x540' \
	'WARNING: CPU: 1 PID: 187 at kernel/jump_label.c:840 jump_label_module_notify+0x7c4/0xb00'; do
	refused="$report|Call Trace:|</TASK>"
	report "$refused"
	is "memory that is refused: ${report%%:*}" "$bad" 'a: the kernel has nothing to complain about'
	with_lines "$(echo "$good" | sed "s~eth0: up~$refused~; s~ a ~ faults ~g")"
	is "memory that is refused on request: ${report%%:*}" "$bad" ''
done
with_lines "$(echo "$good" | sed "s~eth0: up~$refused|BUG: KASAN: x~; s~ a ~ faults ~g")"
is 'and what follows' "$bad" 'faults: the kernel has nothing to complain about'
with_lines 'EDD information not available'
is 'no boot' "$bad" "$(printf 'boots\nruns guest tests')"
with_lines '@boot 2.1 6.1.0|@log|@over'
is 'no tests' "$bad" 'runs guest tests'

# Two runs of a machine at the same time would write to the same console file.
mkdir -p "$TMP/build/vm/mine"
exec 3>"$TMP/build/vm/mine/lock"
flock 3
said=$(TPROF_BUILD=$TMP/build VM_RUN=mine sh "${awk_file%/*}/boot.sh" x86-64 3>&-)
is 'a machine that runs already: exit code' $? 1
like 'a machine that runs already' "$said" 'another run is using .*/vm/mine; VM_RUN=NAME'
done_testing
