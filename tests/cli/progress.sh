#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A command that takes longer than a second shows its progress, only on a terminal, and erases it at the end. Commands
# wait here because they read a pipe that is filled late.
. "${0%/*}/../lib/cli.sh"
. "${0%/*}/../lib/screen.sh"

"$MAKE_PROFILE" small >"$TMP/small.pb.gz"
"$TPROF" report -i "$TMP/small.pb.gz" >"$TMP/wanted" || bail 'cannot read a profile'
mkfifo "$TMP/in" "$TMP/out"

# late: fills the pipe when the test creates $TMP/go
late() {
	(
		exec >"$TMP/in"
		until [ -e "$TMP/go" ]; do sleep 0.1; done
		cat "$TMP/small.pb.gz"
	) &
	late=$!
}

# Standard error is the terminal.
terminal 100 40 "sh -c '$TPROF report --stdio -i $TMP/in 2>/dev/tty'"
late
shows 'a file that takes long' '^tprof: reading .*/in, [1-9][0-9]* s *$'
shows 'its seconds are counted' '^tprof: reading .*/in, [2-9] s *$'
touch "$TMP/go"
ends 'then it is read' 0
wait $late
is 'nothing stays on the terminal' "$(screen | grep -c 'reading')" 0
like 'the report stands at the left' "$(screen)" '^# samples 294'

rm -f "$TMP/go"
terminal 30 40 "sh -c '$TPROF report --stdio -i $TMP/in 2>/dev/tty'"
late
shows 'a narrow terminal: one line' '^tprof: reading .*(…|~) *$'
resize 24 40
touch "$TMP/go"
ends 'a narrow terminal: ends' 0
wait $late

# The command writes to a pipe without a reader, so its output must be larger than the buffer of a pipe.
"$MAKE_PROFILE" many 3000 >"$TMP/many.pb.gz"
terminal 100 40 "sh -c 'exec 3<>$TMP/out; $TPROF export -i $TMP/many.pb.gz -f folded -o $TMP/out 2>/dev/tty'"
shows 'writing' '^tprof: writing .*/out, [1-9][0-9]* s *$'
cat "$TMP/out" >"$TMP/written" &
reader=$!
ends 'then it is written' 0
kill $reader 2>/dev/null
wait $reader 2>/dev/null
is 'writing: nothing stays on the terminal' "$(screen | grep -c 'writing')" 0

# Before an error message the progress is erased.
rm -f "$TMP/go"
echo nonsense >"$TMP/small.pb.gz"
terminal 100 40 "sh -c '$TPROF report --stdio -i $TMP/in 2>/dev/tty'"
late
shows 'before an error' '^tprof: reading '
touch "$TMP/go"
ends 'an error: ends' 1
wait $late
is 'an error: the first line' "$(screen | grep -m 1 . | grep -c '^tprof: .*/in: ')" 1
"$MAKE_PROFILE" small >"$TMP/small.pb.gz"

# Standard error is a file or a pipe: no progress is shown although reading takes longer than a second.
terminal 100 40 "sh -c '(sleep 1.8; cat $TMP/small.pb.gz) | $TPROF report -i - 2>&1 | cat -v'"
(sleep 1.8; cat "$TMP/small.pb.gz") | "$TPROF" report -i - >"$TMP/got" 2>"$TMP/stderr"
is 'standard error is a file: nothing is said' "$(cat "$TMP/stderr")" ''
is 'standard error is a file: the report is the same, but for the name of the file' \
	"$(grep -v '^# file ' "$TMP/got")" "$(grep -v '^# file ' "$TMP/wanted")"
ends 'standard error is a pipe: ends' 0
is 'standard error is a pipe: nothing is said' "$(screen | grep -c reading)" 0

# A quick command shows no progress, not even briefly.
script -qec "$TPROF report --stdio -i $TMP/small.pb.gz" "$TMP/typescript" >/dev/null </dev/null
is 'what is quick: nothing is said' "$(grep -c 'reading\|adding' "$TMP/typescript")" 0
check 'what is quick: the report' grep -q 'samples 294' "$TMP/typescript"
done_testing
