#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What tests/vm makes of the console of a guest that went wrong.
. "${0%/*}/../lib/tap.sh"
awk_file=$(dirname "$0")/../vm/guest.awk

# console LINE...: judges a console of these lines; $bad holds the failed cases
console() {
	printf '%s\r\n' "$@" |
		awk -v version=6.1 -v seconds=3.5 -v how='qemu ended' -f "$awk_file" >"$TMP/tap"
	bad=$(sed -n 's/^not ok [0-9]* - 6.1: //p' "$TMP/tap")
}

good='@boot 2.1 6.1.0|@begin a|ok 1 - one|1..1|@end 0|@log|[ 0.1] Linux version 6.1|@over'
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
is 'a good run: plan' "$(tail -n 1 "$TMP/tap")" 1..4
like 'a good run: case' "$(cat "$TMP/tap")" '^ok 2 - 6.1: a: one$'

with_lines "$(echo "$good" | sed 's/ok 1 - one/not ok 1 - one|# why/; s/@end 0/@end 1/')"
is 'a failed case' "$bad" 'a: one'
like 'a failed case: why' "$(cat "$TMP/tap")" '^# why'
with_lines "$(echo "$good" | sed 's/@end 0/@end 139/')"
is 'a crash' "$bad" 'a: exit code 139 though no case failed'
with_lines "$(echo "$good" | sed 's/@end 0/@end 143/')"
is 'time run out' "$bad" 'a: out of time'
with_lines "$(echo "$good" | sed 's/1\.\.1|//')"
is 'no plan' "$bad" 'a: no plan'
with_lines "$(echo "$good" | sed 's/1\.\.1/1..2/')"
is 'a plan not kept' "$bad" 'a: 2 cases planned, 1 seen'
with_lines "$(echo "$good" | sed 's/Linux version.*|/WARNING: CPU: 0 PID: 7 at kernel|/')"
is 'a warning of the kernel' "$bad" 'kernel has nothing to complain about'
with_lines '@boot 2.1 6.1.0|@begin a|ok 1 - one|Kernel panic - not syncing: Oops'
is 'a panic' "$bad" "$(printf 'guest ends in order\nkernel has nothing to complain about')"
with_lines 'EDD information not available'
is 'no boot' "$bad" "$(printf 'boots\nruns guest tests')"
with_lines '@boot 2.1 6.1.0|@log|@over'
is 'no tests' "$bad" 'runs guest tests'
done_testing
