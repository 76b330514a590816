#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=21
# `-G` samples a cgroup and its descendants and nothing else; samples have their cgroup.
. "${0%/*}/../lib/live.sh"

root=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
[ -n "$root" ] || skip_all 'no cgroup v2 file system is mounted'
name=tprof-test-$$
mkdir -p "$root/$name/inner" 2>/dev/null || skip_all 'cgroups cannot be made here'

background "$WORKLOAD/spin" --seconds 600
outside=$pid
background "$WORKLOAD/spin" --seconds 600
outer=$pid
background "$WORKLOAD/spin" --seconds 600
inner=$pid
# A cgroup with processes cannot be removed, so they end first.
at_exit "kill $outer $inner 2>/dev/null; sleep 0.2; rmdir $root/$name/inner $root/$name"
echo "$outer" >"$root/$name/cgroup.procs"
echo "$inner" >"$root/$name/inner/cgroup.procs"

# pids FILE: prints the sorted PIDs of all functions
pids() {
	jq -r '[.functions[].pid] | unique | map(tostring) | join(" ")' "$1"
}

sorted() {
	printf '%s\n' "$@" | sort -n | tr '\n' ' ' | sed 's/ $//'
}

seconds=3
profile "$TMP/json" -F 997 -G "/$name"
is 'the subtree: its processes alone' "$(pids "$TMP/json")" "$(sorted "$outer" "$inner")"
closes 'the subtree' "$TMP/json" 0
is 'the subtree: each process in its own cgroup' \
	"$(jq -r '[.functions[] | "\(.pid) \(.cgroup)"] | unique | join("; ")' "$TMP/json")" \
	"$(printf '%s\n' "$outer /$name" "$inner /$name/inner" | sort | paste -sd ';' | sed 's/;/; /')"
profile "$TMP/json" -F 997 -G "/$name/inner"
is 'the inner one: its process alone' "$(pids "$TMP/json")" "$inner"
profile "$TMP/json" -F 997 -G "/$name/inner" -p "$outside"
is 'a cgroup and a process outside it: nothing' "$(pids "$TMP/json")" ''
like 'all of it out of scope' "$(ledger "$TMP/json" .out_of_scope)" '^[1-9]'

# In a cgroup namespace paths begin at the root of the namespace, here one level below the root of the hierarchy.
enter='echo $$ >"$0/cgroup.procs" && exec unshare --cgroup "$@"'
remount='umount -l "$0" && mount -t cgroup2 none "$0" && exec "$@"'
options='top --engine perf --json --duration 3 -F 997 --comm spin'
# contained GROUP COMMAND...: runs the command with $options and -G GROUP in the cgroup namespace
contained() {
	contained_group=$1
	shift
	# shellcheck disable=SC2086 # words
	sh -c "$enter" "$root/$name" "$@" $options -G "$contained_group" >"$TMP/json" 2>"$TMP/stderr" ||
		diag "$(cat "$TMP/stderr")"
}
if unshare --cgroup --mount true 2>"$TMP/stderr"; then
	contained "/$name/inner" "$TPROF"
	is 'a cgroup namespace, all is mounted' "$(pids "$TMP/json")" "$inner"
	closes 'a cgroup namespace, all is mounted' "$TMP/json" 0
	contained /inner --mount sh -c "$remount" "$root" "$TPROF"
	is 'a cgroup namespace, what is below is mounted' "$(pids "$TMP/json")" "$inner"
	contained / --mount sh -c "$remount" "$root" "$TPROF"
	is 'a cgroup namespace, all that is mounted' "$(pids "$TMP/json")" "$(sorted "$outer" "$inner")"
	# A process that enters the namespace from outside is in no cgroup below the root of the namespace, so tprof
	# cannot find the depth of that root.
	background sh -c "$enter" "$root/$name" --mount sh -c "$remount" "$root" sleep 60
	comes sleep cat "/proc/$pid/comm"
	refuses 'a cgroup namespace, from outside' 4 'cgroup /inner: .*namespace' nsenter -t "$pid" --cgroup --mount \
		"$(realpath "$TPROF")" top --engine perf --batch --duration 1 -G /inner
	end "$pid"
else
	skip 'a cgroup namespace' "none here: $(cat "$TMP/stderr")"
fi

done_testing
