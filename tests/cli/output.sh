#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# If a command that reads profiles cannot write its output, it prints an error message, exits with code 1, and leaves no
# file.
. "${0%/*}/../lib/cli.sh"

"$MAKE_PROFILE" many 3000 >"$TMP/many.pb.gz"
"$MAKE_PROFILE" many 3000 2 >"$TMP/tprof.pb.gz"
cd "$TMP" || exit 1
mkdir limited

# fails NAME SENTENCE REDIRECTION OPTION...: the command fails with exit code 1, the sentence and a hint
fails() {
	fails_what=$1 fails_text=$2 fails_open=$3
	shift 3
	# shellcheck disable=SC2016 # of the shell there
	sh -c 'exec "$@" '"$fails_open" sh "$TPROF" "$@" 2>said
	is "$fails_what: exit code" $? 1
	like "$fails_what: says so" "$(sed -n 1p said)" "^tprof: $fails_text"
	like "$fails_what: says what to do" "$(sed -n 2p said)" '^hint: .'
}

# limited FILE OPTION...: limits the size of files to 8 KiB. The messages go through a pipe, which has no limit.
limited() {
	limited_to=$1
	shift
	{ (
		ulimit -f 16
		"$TPROF" "$@" >"$limited_to" 3>&-
		echo $? >&3
	) 2>&1 | cat >said; } 3>code
	is "limit of files: $*: exit code" "$(cat code)" 1
	like "limit of files: $*: says so" "$(sed -n 1p said)" '^tprof: .*: File too large$'
	like "limit of files: $*: says what to do" "$(sed -n 2p said)" '^hint: raise the limit'
	is "limit of files: $*: nothing is left" "$(ls -A limited)" ''
}

for what in 'export -o limited/x.pb.gz' 'export -o limited/x.folded' 'export -o limited/x.json' \
	    'export -f speedscope -o limited/x.json' 'flame -o limited/x.html' 'flame -o limited/x.svg'; do
	# shellcheck disable=SC2086 # options are words
	limited /dev/null $what
done
for what in report 'report --json' 'report -g callers' 'export -f text' 'export -f pprof' \
	    'diff many.pb.gz tprof.pb.gz' 'diff --json many.pb.gz tprof.pb.gz'; do
	# shellcheck disable=SC2086 # options are words
	limited too_large $what
done

for what in report 'report --json' 'export -f text' 'export -f folded' 'diff many.pb.gz tprof.pb.gz' 'list formats'; do
	# shellcheck disable=SC2086 # options are words
	fails "full disk: $what" 'standard output: No space left' '>/dev/full' $what
done
fails 'full device' '/dev/full: No space left' '' export -f pprof -o /dev/full
# A write to address 0 of the memory of this shell fails with EIO, like a write to a failing device.
for what in report 'export -f text'; do
	# shellcheck disable=SC2086 # options are words
	fails "device that fails: $what" 'standard output: Input/output error' "1<>/proc/$$/mem" $what
done

# A closed pipe is no error, even if most of the output is unwritten.
for what in report 'report --json' 'report -g callers' 'export -f text' 'export -f json' 'export -f speedscope' \
	    'export -f pprof' 'diff many.pb.gz tprof.pb.gz' 'diff --json many.pb.gz tprof.pb.gz'; do
	# shellcheck disable=SC2086 # options are words
	{ "$TPROF" $what 2>said; echo $? >code; } | head -c 1 >/dev/null
	is "reader that goes away: $what" "$(cat code)$(cat said)" 0
done

done_testing
