# SPDX-License-Identifier: GPL-2.0-only
# TAP for tests in POSIX sh, including the sh of busybox. A test sources this file, reports each behaviour once, and
# ends with done_testing:
#
#	. "${0%/*}/../lib/tap.sh"
#	check 'doctor finds an engine' "$TPROF" doctor
#	is 'exit code for a usage error' "$(code "$TPROF" top -F 0)" 2
#	within 'share of hot()' "$share" 50 2
#	done_testing
#
# It sets $BUILD (the build directory), $TPROF (the program), and $TMP (a directory that is removed when the test ends).
# Other output of the test goes to the log; the last lines of the log are shown if the test fails outside of a case.

BUILD=${TPROF_BUILD:-build}
TPROF=${TPROF:-$BUILD/tprof}
TMP=$(mktemp -d "${TMPDIR:-/tmp}/tprof-test.XXXXXX") || exit 1
tap_count=0
tap_planned=
tap_failed=0
tap_cleanups=

# Registers a command that runs when the test ends, also after a signal. The last registered command runs first.
at_exit() {
	tap_cleanups="$*; $tap_cleanups"
}

tap_exit() {
	status=$?
	trap - EXIT
	eval "$tap_cleanups"
	rm -rf "$TMP"
	exit $status
}
trap tap_exit EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 141' PIPE
trap 'exit 143' TERM

diag() {
	printf '%s\n' "$*" | sed 's/^/# /'
}

plan() {
	tap_planned=$1
	echo "1..$1"
}

ok() {
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1"
}

# not_ok NAME [WHY...]
not_ok() {
	tap_count=$((tap_count + 1))
	tap_failed=$((tap_failed + 1))
	echo "not ok $tap_count - $1"
	shift
	[ $# -eq 0 ] || diag "$@"
	return 0
}

# skip NAME REASON
skip() {
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1 # SKIP $2"
}

# skip_all REASON: ends a test that cannot run on this machine at all
skip_all() {
	echo "1..0 # SKIP $1"
	exit 0
}

bail() {
	echo "Bail out! $*"
	exit 1
}

# check NAME COMMAND...: the command succeeds
check() {
	tap_name=$1
	shift
	if "$@" >"$TMP/tap.out" 2>&1 </dev/null; then
		ok "$tap_name"
	else
		not_ok "$tap_name" "exit code $? of: $*"
		tail -n 20 "$TMP/tap.out" | sed 's/^/# /'
		return 1
	fi
}

# is NAME GOT WANTED: the two texts are equal
is() {
	if [ "$2" = "$3" ]; then
		ok "$1"
	else
		not_ok "$1" "got:    $2"
		diag "wanted: $3"
	fi
}

# like NAME TEXT PATTERN: a line of the text matches the extended regular expression
like() {
	if printf '%s\n' "$2" | grep -Eq -e "$3"; then
		ok "$1"
	else
		not_ok "$1" "got:    $2"
		diag "wanted: $3"
	fi
}

# within NAME GOT WANTED DISTANCE: the numbers differ by at most DISTANCE
within() {
	if awk -v got="$2" -v want="$3" -v far="$4" 'BEGIN {
			if (got !~ /^[-+]?[0-9.]+(e[-+]?[0-9]+)?$/) exit 1
			d = got - want; exit !(d <= far && -d <= far) }'; then
		ok "$1"
	else
		not_ok "$1" "got: $2, wanted: $3 +- $4"
	fi
}

# at_most NAME GOT LIMIT
at_most() {
	if awk -v got="$2" -v limit="$3" 'BEGIN {
			if (got !~ /^[-+]?[0-9.]+(e[-+]?[0-9]+)?$/) exit 1
			exit !(got <= limit + 0) }'; then
		ok "$1"
	else
		not_ok "$1" "got: $2, wanted: at most $3"
	fi
}

# await COMMAND...: repeats the command until it succeeds, for at least 30 s; ten times as long on kernels with lockdep,
# where everything is slower. If it gives up, it says so, because a caller may go on.
await() {
	await_left=300
	[ ! -e /proc/lockdep_stats ] || await_left=3000
	until "$@"; do
		await_left=$((await_left - 1))
		if [ $await_left -le 0 ]; then
			diag "never came: $*"
			return 1
		fi
		sleep 0.1
	done 2>/dev/null
}

matches() {
	matches_pattern=$1
	shift
	"$@" | grep -Eq -e "$matches_pattern"
}

# comes PATTERN COMMAND...: repeats the command until a line of its output matches the extended regular expression
comes() {
	await matches "$@"
}

# Prints the exit code of a command.
code() {
	"$@" >/dev/null 2>&1 </dev/null && echo 0 || echo $?
}

# refuses NAME CODE SENTENCE COMMAND...: the command prints `tprof: SENTENCE` (a regular expression) and one hint,
# nothing else, and exits with the code
refuses() {
	refuses_what=$1 refuses_code=$2 refuses_text=$3
	shift 3
	"$@" >"$TMP/stdout" 2>"$TMP/stderr" </dev/null
	refuses_got=$?
	if [ "$refuses_got" -eq "$refuses_code" ] && [ ! -s "$TMP/stdout" ] &&
	   sed -n 1p "$TMP/stderr" | grep -Eq -e "^tprof: .*$refuses_text" &&
	   sed -n 2p "$TMP/stderr" | grep -q '^hint: .' && [ "$(wc -l <"$TMP/stderr")" -eq 2 ]; then
		ok "$refuses_what"
	else
		not_ok "$refuses_what" "exit code $refuses_got, wanted $refuses_code; wanted: tprof: ...$refuses_text"
		diag "stdout: $(head -c 400 "$TMP/stdout")"
		diag "stderr: $(head -n 12 "$TMP/stderr")"
	fi
}

done_testing() {
	[ -n "$tap_planned" ] || echo "1..$tap_count"
	[ "$tap_failed" -eq 0 ] || exit 1
	exit 0
}
