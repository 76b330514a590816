# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=x86-64,next not=debug,race seconds=300
# `-G` on the module samples a cgroup and its descendants and nothing else; samples have their cgroup.
. "${0%/*}/../lib/live.sh"

root=/sys/fs/cgroup
mkdir -p $root/outer/inner $root/outer2

lazy "$WORKLOAD/spin" --seconds 3600
outside=$pid
lazy "$WORKLOAD/spin" --seconds 3600
outer=$pid
lazy "$WORKLOAD/spin" --seconds 3600
inner=$pid
lazy "$WORKLOAD/spin" --seconds 3600
other=$pid
at_exit "kill $outer $inner $other 2>/dev/null; sleep 1; rmdir $root/outer/inner $root/outer $root/outer2"
echo "$outer" >$root/outer/cgroup.procs
echo "$inner" >$root/outer/inner/cgroup.procs
echo "$other" >$root/outer2/cgroup.procs

# pids: prints the sorted PIDs of all functions
pids() {
	jq -r '[.functions[].pid] | unique | map(tostring) | join(" ")' "$TMP/json"
}

sorted() {
	printf '%s\n' "$@" | sort -n | paste -sd ' ' -
}

seconds=2
profile "$TMP/json" -F 499 -G /outer
is 'the subtree: on the module' "$(jq -r .engine "$TMP/json")" kmod
is 'the subtree: its processes alone' "$(pids)" "$(sorted "$outer" "$inner")"
closes 'the subtree' "$TMP/json" 0
is 'the subtree: each process in its own cgroup' \
	"$(jq -r '[.functions[] | "\(.pid) \(.cgroup)"] | unique | join(";")' "$TMP/json")" \
	"$(printf '%s\n' "$outer /outer" "$inner /outer/inner" | sort | paste -sd ';' -)"
profile "$TMP/json" -F 499 -G /outer/inner -G /outer2
is 'two cgroups: the processes of both' "$(pids)" "$(sorted "$inner" "$other")"
profile "$TMP/json" -F 499 -G /outer/inner -p "$outside"
is 'a cgroup and a process outside it: nothing' "$(pids)" ''
like 'all of it out of scope' "$(ledger "$TMP/json" .out_of_scope)" '^[1-9]'
closes 'all of it out of scope' "$TMP/json" 0

# A process enters the cgroup while it is sampled, and another leaves it.
"$TPROF" top --json --duration 300 -F 499 -G /outer2 >"$TMP/json" 2>"$TMP/stderr" &
tprof=$!
check 'a process may move: there is a session' await_list 'any(.[]; .session.fired > 0)'
check 'a process may move: one is there' works "$other" 500
echo "$outside" >$root/outer2/cgroup.procs
echo "$other" >$root/cgroup.procs
check 'a process may move: another one has come' works "$outside" 500
end $tprof
is 'a process may move: both were seen' "$(pids)" "$(sorted "$outside" "$other")"
closes 'a process may move' "$TMP/json" 0
echo "$outside" >$root/cgroup.procs

refuses 'no such cgroup' 2 'no such cgroup' "$TPROF" top --batch --duration 1 -G /nosuch
refuses 'a file of a cgroup' 1 'cgroup /cgroup.procs/x: Not a directory' "$TPROF" top --batch --duration 1 \
	-G /cgroup.procs/x

done_testing
