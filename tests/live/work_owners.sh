#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The kernel's work for a terminal is charged to the process that writes to it; the shipped filter owners tells both.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/screen.sh"
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
end "$pid"
shows_owners perf

# The view: call stacks are counted with owners, too, also in the sandbox.
background "$WORKLOAD/typist" 3600
terminal 120 30 "$TPROF top --engine perf --by owner -F 499"
shows 'the view: by owner' "typist \\($pid\\)"
keys g
shows 'the view: by function' 'FUNCTION +OBJECT'
keys G
shows 'the view: with call stacks' 'call stacks are counted from now on'
keys g g g g
shows 'the view: with call stacks: by owner' "SHARE +SAMPLES +OWNER"
shows 'the view: with call stacks: the owner' "typist \\($pid\\)"
keys q
end "$pid"

# What does not go together, and a profile that has none.
refuses 'a raw recording' 2 '--owners excludes --raw' "$TPROF" record --owners --raw -o "$TMP/none"
refuses 'threads' 2 '--threads and --by exclude each other' "$TPROF" top --threads --by owner
refuses 'a filter without owners' 2 '--by owner: filter comm counts no owners' "$TPROF" top --by owner --filter comm
refuses 'a filter without cgroups' 2 '--by cgroup: filter comm counts no cgroups' \
	"$TPROF" top --by cgroup --filter comm
check 'a filter with cgroups' "$TPROF" top --by cgroup --filter cgroup --batch --duration 0.1
check 'a filter with owners' "$TPROF" top --by owner --filter ownstacks --batch --duration 0.1
refuses 'wakers' 2 '--by owner and --wakeups exclude each other' "$TPROF" top --by owner --wakeups
refuses 'lines without lines' 2 '--by line needs source lines' "$TPROF" top --batch --by line
refuses 'another word' 2 "--by: 'ownr' is not known" "$TPROF" top --by ownr
"$TPROF" record --engine perf -o "$TMP/none.pb.gz" --duration 0.2 >"$TMP/out" 2>&1
for how in report diff; do
	# shellcheck disable=SC2046 # two files for diff
	refuses "$how of a profile without owners" 2 'has no owners' "$TPROF" $how --by owner \
		$(echo "$TMP/none.pb.gz"; [ $how = report ] || echo "$TMP/none.pb.gz")
	like "$how of a profile without owners: the hint" "$(cat "$TMP/stderr")" \
		'^hint: tprof record --owners counts them'
done
done_testing
