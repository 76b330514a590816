#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=15 sanitized=only
# `tprof record`: the contents and the name of its file, when it ends, and what it refuses before it samples.
. "${0%/*}/../lib/live.sh"

cd "$TMP" || exit
case $TPROF in /*) ;; *) TPROF=$OLDPWD/$TPROF WORKLOAD=$OLDPWD/$WORKLOAD ;; esac

# record OPTION...: runs tprof record and prints its exit code
record() {
	timeout 60 "$TPROF" record "$@" >stdout 2>stderr </dev/null
	echo $?
	without_loss stderr
}

is 'command: exit code' "$(record -o a.folded -F 997 -- "$WORKLOAD/spin" --seconds 1 --report)" 0
check 'command: call stacks' grep -qE '^spin;.*main;work_in_threads;work;hot [1-9][0-9]*$' a.folded
is 'command: nothing but call stacks' "$(grep -Ev '^[^;]+(;[^;]+)+ [1-9][0-9]*$' a.folded)" ''
is 'command: its output is its own' "$(wc -w <stdout)" 3
like 'command: ledger' "$(sed -n 1p stderr)" \
	'^tprof: perf, [a-z-]+: [1-9][0-9]* samples in .*: [1-9][0-9]* done, .*lost'
like 'command: file' "$(sed -n 2p stderr)" '^tprof: a\.folded: [1-9][0-9]* call stacks, [0-9.]+ (bytes|KiB)$'
is 'command: no more words' "$(wc -l <stderr)" 2
is 'for the owner alone' "$(stat -c %a a.folded)" 600
is 'nothing else in the directory' "$(ls -A)" "$(printf 'a.folded\nstderr\nstdout\ntap.out')"

is 'exit code of the command' "$(record -o b.folded -- sh -c 'exit 7')" 7
check 'exit code of the command: the file is there' test -e b.folded
is 'killed' "$(record -o b.folded -- sh -c 'kill -9 $$')" 137
is 'not found: 127' "$(record -o c.folded -- no-such-command)" 127
is 'not found: no file' "$(ls c.folded 2>/dev/null)" ''

is 'standard output' "$(record -o - --format folded -F 997 -- "$WORKLOAD/spin" --seconds 1 --report)" 0
is 'standard output: call stacks alone' "$(grep -Ev '^[^;]+(;[^;]+)+ [1-9][0-9]*$' stdout)" ''
check 'standard output: call stacks' grep -q '^spin;.*hot [1-9]' stdout
like 'standard output: what the command says goes to stderr' "$(cat stderr)" '^[0-9]+ [0-9]+ [0-9]+$'
is 'closed pipe' "$({ "$TPROF" record -o - --format json --duration 1 2>/dev/null; echo $? >code; } | true; cat code)" 0

is '--format: before the name' "$(record -o x.folded --format json --duration 0.3)" 0
check '--format: JSON' jq -e .version x.folded
is 'by the name: JSON' "$(record -o x.json --duration 0.3)" 0
check 'by the name: JSON, too' jq -e '.ledger.fired > 0' x.json
is 'by the name: text' "$(record -o x.txt --duration 0.3)" 0
check 'by the name: text, too' grep -q '^# engine perf' x.txt

# Without callers
is '--call-graph none' "$(record --call-graph none -F 997 -o x.folded -- "$WORKLOAD/spin" --seconds 1)" 0
check '--call-graph none: functions' grep -q '^spin;hot [1-9]' x.folded
is '--call-graph none: no callers' "$(grep -E ';.*;' x.folded)" ''
is '-g' "$(record -g -F 997 -o x.folded -- "$WORKLOAD/spin" --seconds 1)" 0
check '-g: callers' grep -q ';work;hot [1-9]' x.folded
is '--call-graph fp' "$(record --call-graph fp -F 997 -o x.folded -- "$WORKLOAD/spin" --seconds 1)" 0
check '--call-graph fp: callers' grep -q ';work;hot [1-9]' x.folded
is '--filter' "$(record --filter comm -F 997 -o x.folded -- "$WORKLOAD/spin" --seconds 1)" 0
check '--filter: one of the user' grep -q '^spin;spin [1-9]' x.folded

# A signal ends the recording, and the file has all samples. spin ensures that there are samples.
background "$WORKLOAD/spin" --seconds 600
for signal in INT TERM HUP; do
	rm -f x.folded
	env --default-signal=INT,TERM,HUP "$TPROF" record -F 997 -o x.folded 2>stderr </dev/null &
	recorder=$!
	await_session_of $recorder
	works "$pid" 500
	kill -s $signal $recorder
	wait $recorder
	is "SIG$signal: exit code" $? 0
	check "SIG$signal: the file is there" grep -q '^spin;.*hot [1-9]' x.folded
done
end "$pid"

# The process did not run: the file is empty, and a message says so.
background sleep 60
is 'nothing ran: exit code' "$(record -p "$pid" -o x.folded --duration 0.3)" 0
check 'nothing ran: an empty file' test ! -s x.folded
is 'nothing ran: is said' "$(sed -n 2p stderr)" 'tprof: x.folded: no samples'
like 'nothing ran: the command has samples of others' "$(sed -n 1p stderr)" ' [1-9][0-9]* out of scope'
odd=$(printf 'a\033[31mb')
for of in folded 'traw --raw'; do
	# shellcheck disable=SC2086 # the suffix, and an option
	record -p "$pid" --duration 0.3 -o "$odd".$of >/dev/null
	check "a name with control characters, ${of% *}: is written" test -e "$odd.${of% *}"
	like "a name with control characters, ${of% *}: does not control the terminal" "$(cat stderr)" \
		'^tprof: a\?\[31mb\.'
	rm -f "$odd.${of% *}"
done
record -p "$pid" -o empty.pb.gz --duration 0.3 >/dev/null
is 'nothing ran: report says so' "$("$TPROF" report -i empty.pb.gz | tail -n 1)" '# empty: the profile has no samples'
for what in "top --batch -t $pid" "run comm -p $pid"; do
	# shellcheck disable=SC2086 # options are words
	is "nothing ran: says so: ${what%% *}" "$("$TPROF" $what --duration 0.3 2>/dev/null | tail -n 1)" \
		'# empty: no sample was counted'
done
rm empty.pb.gz
end "$pid"

# A recording that fails does not change an existing file.
echo old >kept.folded
is 'engine that cannot: exit code' "$(code "$TPROF" record --engine warp -o kept.folded --duration 1)" 2
is 'engine that cannot: the file is as it was' "$(cat kept.folded)" old
is 'full disk' "$(record -o /dev/full --format folded -- "$WORKLOAD/spin" --work 300)" 1
like 'full disk: says so' "$(cat stderr)" '^tprof: /dev/full: No space left'
check 'a device stays one' test -c /dev/full

# wrong WHAT SENTENCE OPTION...
wrong() {
	wrong_what=$1 wrong_text=$2
	shift 2
	refuses "$wrong_what" 2 "$wrong_text" "$TPROF" record --duration 1 "$@"
}

wrong 'unknown format' 'xml: no such format' --format xml -o x.xml
wrong 'no such directory' 'no/x.folded: No such' -o no/x.folded
wrong 'a directory' 'is a directory' --format json -o ./
wrong 'unknown way to callers' 'lbr' --call-graph lbr
wrong '--filter and --call-graph' 'exclude' --filter top --call-graph fp
wrong '--filter and -g' 'exclude' --filter top -g
wrong 'a command without --' 'unexpected operand' ls
wrong 'rate and period' '-F and -c exclude each other' -F 99 -c 1000
is 'nothing was left' "$(ls -A | grep -Ev 'folded|std(out|err)|^x\.|(tap|background)\.out|code')" ''

done_testing
