#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# `tprof export`: every format has the same numbers, and unreadable files are refused with an error message.
. "${0%/*}/../lib/cli.sh"

"$MAKE_PROFILE" small >"$TMP/small.pb.gz"
"$MAKE_PROFILE" flat >"$TMP/flat.pb.gz"

# export NAME FORMAT OPTION...
export_to() {
	export_from=$TMP/$1.pb.gz
	shift
	"$TPROF" export -i "$export_from" --format "$@" 2>"$TMP/stderr" || diag "$(cat "$TMP/stderr")"
}

for profile in small flat; do
	export_to $profile pprof >"$TMP/again.pb.gz"
	check "$profile: pprof to pprof changes nothing" cmp "$TMP/$profile.pb.gz" "$TMP/again.pb.gz"
	export_to $profile json >"$TMP/json"
	is "$profile: json: the functions add up" \
		"$(jq -r '[.functions[].samples, .functions[].weight] | add' "$TMP/json")" 60060
	ledger_closes "$profile: json" "$TMP/json"
	is "$profile: json: the ledger is whole" "$(ledger "$TMP/json" '"\(.fired) \(.aggregated)"')" '294 60'
	export_to $profile text >"$TMP/text"
	is "$profile: text: the functions add up" \
		"$(awk '/^ *[0-9.]+% / { sum += $2 } END { print sum }' "$TMP/text")" 60
	export_to $profile speedscope >"$TMP/speedscope"
	is "$profile: speedscope: the weights add up" "$(jq -r '.profiles[0] |
		[([.weights[]] | add), .endValue, (.samples | length) - (.weights | length)] | join(" ")' \
		"$TMP/speedscope")" '60000 60000 0'
	is "$profile: speedscope: frames are there" "$(jq -r '(.shared.frames | length) as $nr |
		[.profiles[0].samples[][] | select(. >= $nr)] | length' "$TMP/speedscope")" 0
	is "$profile: speedscope: the ledger is along" "$(jq -r .tprof.ledger.fired "$TMP/speedscope")" 294
done
export_to small speedscope >"$TMP/speedscope"
is 'speedscope: stacks from the root to the leaf, below their process' "$(jq -r '.shared.frames as $frames |
	.profiles[0] | .samples[2] | map($frames[.].name) | join(";")' "$TMP/speedscope")" \
	'app (8);main;hot<int, char>(x);hot<int, char>(x)'
is 'a limit for functions' "$(export_to small json -n 2 | jq -r '.functions | length')" 2

check '-o makes a file' "$TPROF" export -i "$TMP/small.pb.gz" -f pprof -o "$TMP/out.pb.gz"
check '-o: the same bytes' cmp "$TMP/small.pb.gz" "$TMP/out.pb.gz"
is '-o: nothing else' "$(ls "$TMP" | grep -c out.pb)" 1
is 'from standard input' "$("$TPROF" export -i - -f json <"$TMP/small.pb.gz" | jq -r .ledger.fired)" 294
is 'the name of the file is a default' "$(cd "$TMP" && cp small.pb.gz tprof.pb.gz && "$TPROF" export -f json |
	jq -r .ledger.fired)" 294

refuses 'no such format' 2 'pprofs: no such format' "$TPROF" export -i "$TMP/small.pb.gz" -f pprofs
is 'the name of the file decides' "$(code "$TPROF" export -i "$TMP/small.pb.gz" -o "$TMP/named.json")" 0
check 'and it is JSON' jq -e .ledger "$TMP/named.json"
for name in x.speedscope.json:speedscope x.json:json x.pb.gz:pprof x.folded:folded x.collapsed:folded x.txt:text \
	    ./x.y/x.speedscope.json:speedscope; do
	mkdir -p "$TMP/x.y"
	"$TPROF" export "$TMP/small.pb.gz" -o "$TMP/${name%:*}"
	export_to small "${name#*:}" >"$TMP/wanted"
	check "-o ${name%:*}: what its name stands for" cmp "$TMP/${name%:*}" "$TMP/wanted"
done
export_to small json >"$TMP/wanted"
"$TPROF" export "$TMP/small.pb.gz" -f json -o "$TMP/x.folded"
check '-f wins over the name' cmp "$TMP/x.folded" "$TMP/wanted"
refuses 'a name that stands for nothing' 2 'x.perf: its suffix matches no format, and --format is missing' \
	"$TPROF" export "$TMP/small.pb.gz" -o "$TMP/x.perf"
refuses 'a name of a picture' 2 'x.svg: its suffix is that of a picture' \
	"$TPROF" export "$TMP/small.pb.gz" -o "$TMP/x.svg"
refuses 'a name of a recording' 2 'x.traw: its suffix is that of a raw recording' \
	"$TPROF" export "$TMP/small.pb.gz" -o "$TMP/x.traw"
refuses 'two profiles' 2 'flat.pb.gz: a profile is already given, .*small.pb.gz' \
	"$TPROF" export "$TMP/small.pb.gz" "$TMP/flat.pb.gz" -f json
refuses 'two profiles, one by -i' 2 'flat.pb.gz: a profile is already given, .*small.pb.gz' \
	"$TPROF" export -i "$TMP/small.pb.gz" "$TMP/flat.pb.gz" -f json
refuses 'no format' 2 '--format: the option is missing' "$TPROF" export -i "$TMP/small.pb.gz"
refuses 'no such file' 2 'none.pb.gz: No such file' "$TPROF" export -i "$TMP/none.pb.gz" -f text
refuses 'no such file by default' 2 'tprof.pb.gz: No such file' sh -c "cd / && '$TPROF' export -f text"
refuses 'no such place' 2 'No such file' "$TPROF" export -i "$TMP/small.pb.gz" -f text -o "$TMP/none/out"
refuses 'disk full' 1 '/dev/full: No space' "$TPROF" export -i "$TMP/small.pb.gz" -f text -o /dev/full
head -c 200 "$TMP/small.pb.gz" >"$TMP/short.pb.gz"
refuses 'a file that is cut short' 1 'short.pb.gz: cut short' "$TPROF" export -i "$TMP/short.pb.gz" -f text
: >"$TMP/empty.pb.gz"
refuses 'an empty file' 1 'empty.pb.gz: empty' "$TPROF" export -i "$TMP/empty.pb.gz" -f text
refuses 'a file of another kind' 1 'not a profile: it is not a pprof message' "$TPROF" export -i "$0" -f text
refuses 'a directory' 1 'Is a directory' "$TPROF" export -i "$TMP" -f text
gzip -dc "$TMP/small.pb.gz" | sed 's/tprof.version: 1/tprof.version: 9/' | gzip >"$TMP/later.pb.gz"
refuses 'a file of a later version' 1 'later version' "$TPROF" export -i "$TMP/later.pb.gz" -f text
head -c 300000000 /dev/zero | gzip -1 >"$TMP/huge.pb.gz"
refuses 'a file that unpacks to too much' 1 'more than 256 MiB' "$TPROF" export -i "$TMP/huge.pb.gz" -f text
done_testing
