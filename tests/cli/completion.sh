#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Types commands into an interactive bash, presses Tab, and checks the completions.
. "${0%/*}/../lib/cli.sh"
. "${0%/*}/../lib/screen.sh"

command -v bash >/dev/null || skip_all 'no bash'
mkdir "$TMP/here" "$TMP/here/profiles"
: >"$TMP/here/one.pb.gz" >"$TMP/here/one.txt"
: >"$TMP/here/two words.pb.gz"
cat >"$TMP/rc" <<END
. $(realpath cli/completion.bash)
PATH=$(dirname "$TPROF"):\$PATH
PS1='> ' PS2=
bind 'set bell-style none' 'set completion-query-items 0' 'set page-completions off' 2>/dev/null
cd $TMP/here
END
terminal 160 50 "sh -c 'bash --noprofile --rcfile $TMP/rc -i 2>/dev/tty'"
comes '^>' screen || bail "no prompt: $(screen)"

# completes LINE WHOLE: Tab completes LINE to WHOLE, an extended regular expression
completes() {
	keys C-u
	keys C-l
	keys -l "$1"
	keys Tab
	shows "$1" "^> $2 *\$"
}

# Sets $offers_missing to those of the words that are not on the screen; false if there are any.
offers_all() {
	screen | grep -v '^>' >"$TMP/offered"
	offers_missing=
	for word; do
		grep -Eq "(^| )$word( |\$)" "$TMP/offered" || offers_missing="$offers_missing $word"
	done
	[ -z "$offers_missing" ]
}

# offers LINE WORD...: the offered completions include each of the words
offers() {
	offers_line=$1
	shift
	keys C-u
	keys C-l
	keys -l "$offers_line"
	keys Tab Tab
	await offers_all "$@"
	is "$offers_line" "$offers_missing" ''
}

completes 'tprof rep' 'tprof report'
completes 'tprof help fla' 'tprof help flame'
completes 'tprof report --std' 'tprof report --stdio'
completes 'tprof report --by f' 'tprof report --by function'
completes 'tprof report --by=pro' 'tprof report --by=process'
completes 'tprof report -s t' 'tprof report -s total'
completes 'tprof report one' 'tprof report one.pb.gz'
offers 'tprof report -g ' none callers callees
completes 'tprof diff --share s' 'tprof diff --share self'
completes 'tprof export -f spe' 'tprof export -f speedscope'
offers 'tprof record --format ' folded pprof speedscope json
completes 'tprof top -e cpu-cl' 'tprof top -e cpu-clock'
completes 'tprof top --engine km' 'tprof top --engine kmod'
completes 'tprof top --filter cgr' 'tprof top --filter cgroup'
offers 'tprof run ' stacks top
completes 'tprof filter check kst' 'tprof filter check kstacks'
completes 'tprof list sess' 'tprof list sessions'
completes "tprof top -p $$,1" "tprof top -p $$,1[0-9]*"
completes 'tprof report -i on' 'tprof report -i one.pb.gz'
completes 'tprof report -i two' 'tprof report -i two\\ words.pb.gz'
completes 'tprof diff one.pb.gz prof' 'tprof diff one.pb.gz profiles/'
completes 'tprof flame -o one.t' 'tprof flame -o one.txt'
completes 'tprof record -- bash one.t' 'tprof record -- bash one.txt'
keys C-u

# tprof accepts each completion, with the expected effect.
"$MAKE_PROFILE" small >"$TMP/small.pb.gz"
"$MAKE_PROFILE" raw >"$TMP/small.traw"
for word in $("$TPROF" report --complete | sed -n 's/^--by //p'); do
	[ "$word" != owner ] || continue
	is "report --by $word" "$("$TPROF" report -i "$TMP/small.traw" --json --by "$word" | jq -r .group)" "$word"
done
refuses 'report --by owner' 2 '.*small\.traw has no owners' "$TPROF" report --by owner "$TMP/small.traw"
for word in callers callees; do
	is "report -g $word" "$("$TPROF" report -i "$TMP/small.pb.gz" --json -g $word |
		jq -r ".rows[0] | has(\"$word\")")" true
done
is 'report --sort' "$("$TPROF" report --complete | sed -n 's/^--sort //p')" 'self total'
is 'each command has a list' "$(for command in $("$TPROF" --complete); do
	"$TPROF" "$command" --complete | grep -q -e '^--help' || echo "$command"; done)" ''
done_testing
