#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: long
# For each command that reads profiles, every eleventh allocation fails once, and all allocations fail from every 41st
# one on. With LONG=1, each allocation fails once, and all from every fifth one on.
# The command then reports the error, or works without the memory and writes its usual output. It never dies by a
# signal, and never leaves an incomplete file.
. "${0%/*}/../lib/cli.sh"
. "${0%/*}/../lib/no_memory.sh"

"$MAKE_PROFILE" small >"$TMP/small.pb.gz"
"$MAKE_PROFILE" small app >"$TMP/other.pb.gz"
"$MAKE_PROFILE" raw lines >"$TMP/lines.traw"
"$MAKE_PROFILE" many 300 >"$TMP/many.pb.gz"
cd "$TMP" || exit

# The output is the usual one, or an error message about memory without a file.
is_told() {
	case $code in
	0) cmp -s out expected.out && { [ ! -e expected ] || cmp -s result.html expected; } ;;
	1) [ ! -e result.html ] && grep -q -i 'memory' err ;;
	*) false ;;
	esac
}

# fail_each HOW STEP OPTION...: prints the number of the first allocation whose failure is not handled, and the messages
fail_each() {
	fail_how=$1 fail_step=$2 fail_i=0
	shift 2
	while [ "$fail_i" -lt "$nr" ]; do
		rm -f result.html
		without_memory "$fail_how" "$fail_i" "$TPROF" "$@" >out 2>err
		is_told || {
			echo "$fail_i of $nr: exit code $code: $(head -c 300 err)"
			return
		}
		fail_i=$((fail_i + fail_step))
	done
}

at=11 from=41
[ -z "${LONG:-}" ] || at=1 from=5

# walk NAME OPTION...: tests `tprof OPTION...`, which may write to the file `result.html`
walk() {
	walk_name=$1
	shift
	rm -f result.html expected
	"$TPROF" "$@" >expected.out 2>/dev/null
	[ ! -e result.html ] || mv result.html expected
	nr=$(allocations "$TPROF" "$@")
	check "$walk_name: there are allocations" test "$nr" -gt 50
	is "$walk_name: one allocation fails" "$(fail_each AT $at "$@")" ''
	is "$walk_name: all fail from one on" "$(fail_each FROM $from "$@")" ''
}

walk 'report' report -i small.pb.gz
walk 'report, callers, JSON' report -i small.pb.gz -g callers --json
walk 'report of a raw recording' report -i lines.traw --by line

# The branches of all trees are written one by one: with all of them in memory, JSON needed three times this much.
# in_little_memory OPTION...
in_little_memory() (
	ulimit -v 60000
	exec "$TPROF" report -i many.pb.gz --sort total --percent-limit 0 --json "$@"
)
check 'little memory is enough for a report' in_little_memory
"$TPROF" report -i many.pb.gz --sort total --percent-limit 0 --json -g callees >all.json
check 'and for one with all branches of all trees' eval 'in_little_memory -g callees | cmp -s - all.json'
is 'and are JSON' "$(jq -r '.rows | length > 1000' all.json)" true

walk 'diff' diff small.pb.gz other.pb.gz
walk 'diff, JSON' diff --json small.pb.gz other.pb.gz
walk 'flame, page' flame -i small.pb.gz -o result.html
for format in text json folded pprof speedscope; do
	walk "export, $format" export -i small.pb.gz -f $format -o result.html
done
walk 'list formats, JSON' list formats --json
walk 'list functions' list functions --json "$TPROF" main
is 'no file is left over' "$(ls -A | grep '^\.tprof')" ''
done_testing
