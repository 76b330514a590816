#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: sanitized=all
# --pin: bpftool can read the tables while tprof runs. No pins are left when tprof ends in any way; pins of a killed
# tprof whose broker was killed too are removed by the next tprof.
. "${0%/*}/../lib/live.sh"

# The test runs in its own mount namespace, so that it can mount a bpf file system if none is mounted.
if [ -z "$TPROF_TEST_UNSHARED" ]; then
	rmdir "$TMP"
	TPROF_TEST_UNSHARED=1 exec unshare -m "$0"
fi
PINS=/sys/fs/bpf/tprof
mountpoint -q /sys/fs/bpf || mount -t bpf bpf /sys/fs/bpf || bail 'no bpf file system'
[ -z "$(ls $PINS 2>/dev/null)" ] || bail "$PINS is in use by another session"

# Each session has a directory, which has a directory of maps for each filter.
# await_session OTHER [FILTER]: waits for the directory of a session that is not OTHER, with the filter FILTER (top);
# sets $session
await_session() {
	await has_session "$@" || diag "no session in $PINS: $(cat "$TMP/background.out")"
}

has_session() {
	# shellcheck disable=SC2012 # names of our own
	session=$(ls $PINS | grep -v -x -e "$1" | head -n 1)
	[ -n "$session" ] && [ -e "$PINS/$session/${2:-top}/tprof_ledger" ]
}

background "$WORKLOAD/spin" --seconds 600
spin=$pid

background env --default-signal=INT "$TPROF" top --batch -d 60 -F 997 --pin
tprof=$pid
await_session none
is 'the maps are pinned' "$(cd "$PINS/$session/top" && ls -d top_a top_b tprof_ledger 2>&1)" \
	"$(printf 'top_a\ntop_b\ntprof_ledger')"
sleep 2
check 'readable: the workload is in them' pinned_entries "$PINS/$session/top/top" "$TMP/entries" ".key.tgid == $spin"
like 'typed: keys and values have names' "$(jq -c '.[0] | [.key, .value | keys[]]' "$TMP/entries" 2>&1)" \
	'"ip".*"tgid".*"samples","weight"'
like 'the ledger too' \
	"$(bpftool -j map dump pinned "$PINS/$session/top/tprof_ledger" 2>&1)" '"fired":\{"samples":[0-9]+'
like 'its outcomes, losses and counting calls have names, and tell which generation is filled' \
	"$(bpftool -j map dump pinned "$PINS/$session/top/tprof_ledger" 2>&1 | tr -d '\n')" \
	'"out_of_scope":\{"samples".*"throttled":\{"samples".*"table_full":\{"samples".*"current":[01]'
like 'bpftool as people call it' \
	"$(bpftool map dump pinned "$PINS/$session/top/tprof_ledger" 2>&1)" '"fired": \{'
like 'tprof list sessions shows it' "$("$TPROF" list sessions 2>&1)" "top.*$tprof|$tprof.*top"

kill -INT "$tprof"
wait "$tprof"
is 'Ctrl-C: exit code' $? 0
is 'Ctrl-C: the pins are gone' "$(ls $PINS 2>/dev/null)" ''

check 'a run of one second' "$TPROF" top --batch --duration 1 --pin
is 'normal end: the pins are gone' "$(ls $PINS 2>/dev/null)" ''

# The broker outlives a killed tprof, and removes its pins.
background "$TPROF" top --batch -d 60 --pin
killed=$pid
await_session none
kill -9 "$killed"
wait "$killed" 2>/dev/null
check 'kill -9: the pins go' await sh -c "[ ! -e $PINS/$session ]"

background "$TPROF" top --batch -d 60 --pin
killed=$pid
await_session none
stale=$session
# shellcheck disable=SC2046 # one child
kill -9 $(cat "/proc/$killed/task/$killed/children") "$killed"
wait "$killed" 2>/dev/null
is 'kill -9 of both: the pins stay' "$([ -e "$PINS/$stale/top" ] && echo yes)" yes
like 'kill -9 of both: list sessions says that they are stale' \
	"$("$TPROF" list sessions 2>&1 | grep -e "$stale")" 'stale'

background env --default-signal=INT "$TPROF" top --batch -d 60 --pin
next=$pid
await_session "$stale"
is 'the next --pin removes them' "$([ -e "$PINS/$stale" ] && echo still there)" ''
check 'and keeps its own' test -e "$PINS/$session/top"

# Two sessions at the same time do not remove the pins of each other.
check 'two at a time' "$TPROF" top --batch --duration 1 --pin
check 'the first one keeps its pins' test -e "$PINS/$session/top"
# The name of the directory contains the start time of its owner, which differs in a time namespace.
if unshare --time true 2>"$TMP/stderr"; then
	check 'one in a time namespace' unshare --time --boottime 100000 "$TPROF" top --batch --duration 1 --pin
	check 'does not take it for dead either' test -e "$PINS/$session/top"
else
	skip 'one in a time namespace' 'no time namespaces'
fi
kill -INT "$next"
wait "$next"
is 'in the end nothing is left' "$(ls $PINS 2>/dev/null)" ''

# The maximum depth is a number in the BTF of the object, so tables have types for any depth.
background env --default-signal=INT "$TPROF" run --engine perf -d 60 -F 997 --max-stack 16 --pin stacks
deep=$pid
await_session none stacks
sleep 2
check 'bpftool reads stacks' pinned_entries "$PINS/$session/stacks/stacks" "$TMP/entries"
is 'stacks of another depth: typed, and of that depth' \
	"$(jq -r 'map(.value.ip | length) | unique | join(" ")' "$TMP/entries" 2>&1)" 16
kill -INT "$deep"
wait "$deep"

umount_all() { while mountpoint -q /sys/fs/bpf; do umount /sys/fs/bpf || return; done; }
umount_all
refuses 'no bpf file system' 4 'bpf' "$TPROF" top --batch --duration 1 --pin

done_testing
