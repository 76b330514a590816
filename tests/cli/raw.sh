#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Commands read raw recordings, or a time range of them, like other profiles, and report damage.
. "${0%/*}/../lib/cli.sh"

"$MAKE_PROFILE" raw >"$TMP/x.traw"
"$MAKE_PROFILE" raw lines >"$TMP/lines.traw"
"$MAKE_PROFILE" small >"$TMP/small.pb.gz"
cd "$TMP" || exit
size=$(stat -c %s x.traw)

# The recording contains the small profile twice: 120 samples with a weight of 120,000 ns.
"$TPROF" report -i x.traw >text 2>stderr
is 'report: nothing to say' "$(cat stderr)" ''
like 'report: the ledger is along' "$(cat text)" \
	'^# samples 354, counted 120, idle 38, loss 315 \(99\.7% of 316 in scope\)'
like 'report: shares' "$(cat text)" '^ 13.33%  20.00% +16  kernel +vfs_read +\[kernel\]$'
is 'export: the functions add up' "$("$TPROF" export -i x.traw -f json |
	jq -r '[([.functions[].samples] | add), .ledger.aggregated, ([.functions[].weight] | add),
		.ledger.weight.aggregated] | join(" ")')" '120 120 120000 120000'
is 'export: by pprof it is the same profile' \
	"$("$TPROF" export -i x.traw -f pprof | "$TPROF" export -i - -f json)" "$("$TPROF" export -i x.traw -f json)"
"$TPROF" export -i lines.traw -f json >lines.json
is 'export: lines and inlined functions' "$(jq -r '.functions[] |
	"\(.symbol) \(.file):\(.line) \(.inlined // false) \(.samples)"' lines.json)" "$(printf '%s\n' \
	'inner /src/app.c:12 true 60' 'inner /src/app.c:13 true 40' 'outer /src/main.c:32 false 20')"
is 'export: lines by pprof are the same' \
	"$("$TPROF" export -i lines.traw -f pprof | "$TPROF" export -i - -f json)" "$(cat lines.json)"
"$TPROF" export -i small.pb.gz -f folded | awk '{ $NF *= 2; print }' | sort >twice
is 'export: call stacks' "$("$TPROF" export -i x.traw -f folded | sort)" "$(cat twice)"
check 'flame' sh -c '"$1" flame -i x.traw -o x.svg && grep -q vfs_read x.svg' sh "$TPROF"
"$TPROF" diff small.pb.gz x.traw --json >diff.json
is 'diff: the same shares of twice as much' "$(jq -r '[.after.ledger.aggregated, (.rows | length > 5),
	([.rows[] | select((.before.percent - .after.percent | fabs) > 1e-9)] | length)] | join(" ")' diff.json)" \
	'120 true 0'
cp x.traw y.pb.gz
is 'the name says nothing: the first bytes do' "$("$TPROF" report -i y.pb.gz --json | jq .total.samples)" 120
is 'from standard input' "$("$TPROF" report -i - --json <x.traw | jq .total.samples)" 120

# Time ranges: the first 60 samples are in the first 100 ms, the others in the next.
# part FROM TO: prints samples, counted, out of scope, and the samples and the weight that are in no slot of the ledger
part() {
	# shellcheck disable=SC2086 # an option and its value
	"$TPROF" report -i x.traw ${1:+--from $1} ${2:+--to $2} --json >part.json
	echo "$(jq -r '[.total.samples, (.ledger | .aggregated, .out_of_scope)] | join(" ")' part.json)" \
		"$(unexplained part.json)"
}
is '--to' "$(part '' 0.1)" '60 60 65 0 0'
is '--from' "$(part 0.1 '')" '60 60 65 0 0'
is '--from --to' "$(part 0.01 0.02)" '10 10 115 0 0'
is '--from 0' "$(part 0 0.1)" '60 60 65 0 0'
is '--from a nanosecond: the first sample is at 0' "$(part 0.000000001 0.1)" '59 59 66 0 0'
is '--to: before the first sample' "$(part 0.0000005 0.000001)" '0 0 125 0 0'
refuses '--to 0' 2 "--to: '0' is out of range" "$TPROF" report -i x.traw --to 0
is 'export: a part' "$("$TPROF" export -i x.traw --from 0.01 --to 0.02 -f json | jq -r '
	"\(.ledger | .aggregated, .out_of_scope) \([.functions[].samples] | add)"' | paste -sd ' ' -)" '10 10 115 10'
"$TPROF" flame -i x.traw --to 0.1 -o part.html
is 'flame: a part' "$(page_data part.html | jq '.nodes[2]')" 60000
for command in report 'export -f text' 'flame -o part.svg'; do
	# shellcheck disable=SC2086 # words
	refuses "$command: a part that ends before it begins" 2 '--from and --to select an empty part' \
		"$TPROF" $command -i x.traw --from 2 --to 1
done
refuses 'a part behind the end' 2 'x\.traw: ends after 0\.200 s' "$TPROF" report -i x.traw --from 1
refuses 'a part of a pprof file' 2 'small\.pb\.gz: not a raw recording' "$TPROF" report -i small.pb.gz --from 1

# Each process has two threads: every other sample is from the second thread, on CPU 1.
rows() {
	"$TPROF" report -i x.traw --json --by "$1" |
		jq -r '.group, (.rows[] | "\(.name) \(.pid // "") \(.self.samples)")'
}
is '--by cpu' "$(rows cpu)" "$(printf 'cpu\nCPU 0  60\nCPU 1  60')"
is '--by thread: they are told apart' "$(rows thread | grep -c '^main\|^worker')" 8
is '--by thread: all are there' "$(rows thread | awk '{ sum += $NF } END { print sum }')" 120
like '--by thread: by name and number' "$(rows thread)" '^worker 8 46$'
like '--by cpu: text' "$("$TPROF" report -i x.traw --by cpu)" '^ 50.00%  50.00% +60  CPU 1$'
refuses '--by thread of a pprof file' 2 'small\.pb\.gz: not a raw recording' "$TPROF" report -i small.pb.gz --by thread
refuses '--by something else' 2 "'threat' is not known" "$TPROF" report -i x.traw --by threat

# A truncated recording is read up to its end, with one warning.
head -c $((size - 20)) x.traw >cut.traw
"$TPROF" report -i cut.traw >text 2>stderr
is 'cut short: exit code' $? 0
is 'cut short: one warning' "$(cat stderr)" \
	"tprof: warning: cut.traw: cut short: it has 120 samples, until 0.170 s; \
0 more were counted but are not in the file"
like 'cut short: what there is' "$(cat text)" '^ 13.33%  20.00% +16  kernel +vfs_read +\[kernel\]$'
for command in 'export -f json' 'flame -o z.html'; do
	# shellcheck disable=SC2086 # a command and its options
	like "${command%% *}: says so, too" "$("$TPROF" $command -i cut.traw 2>&1 >/dev/null)" \
		'^tprof: warning: cut\.traw: cut short'
done

# Changes a byte of the last record but one, which is the last ledger.
{
	head -c $((size - 60)) x.traw
	printf '\252'
	tail -c 59 x.traw
} >flipped.traw
"$TPROF" report -i flipped.traw >text 2>stderr
is 'a flipped bit: exit code' $? 0
like 'a flipped bit: where' "$(cat stderr)" \
	'^tprof: warning: flipped\.traw: damaged at byte [0-9]+: a checksum is wrong: only the 120 samples before that'

: >empty.traw
head -c 12 x.traw >head.traw
head -c 40 x.traw >start.traw
{ printf 'tprofraw\002\000\000\000\004\003\002\001'; tail -c +17 x.traw; } >later.traw
refuses 'empty' 1 'empty\.traw: empty' "$TPROF" report -i empty.traw
refuses 'cut in its head' 1 'head\.traw: cut short' "$TPROF" report -i head.traw
refuses 'cut in its start' 1 'start\.traw: cut short: it has no valid start record' \
	"$TPROF" export -i start.traw -f json
refuses 'of a later version' 1 'later\.traw: raw recording of version 2\.0' "$TPROF" report -i later.traw
{ printf 'Tprofraw'; tail -c +9 x.traw; } >magic.traw
refuses 'another first byte' 1 'magic\.traw: damaged, or not a profile' "$TPROF" report -i magic.traw

done_testing
