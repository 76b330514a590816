#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# tests/run detects every kind of failure of a test program.
. "${0%/*}/../lib/tap.sh"
run=$(dirname "$0")/../run

# program NAME: makes a test program from standard input
program() {
	{ echo '#!/bin/sh'; cat; } >"$TMP/$1"
	chmod +x "$TMP/$1"
}

# judge NAME...: runs programs; $said is the output of the runner, $last its last line, $status its exit code
judge() {
	programs=
	for name in "$@"; do
		programs="$programs $TMP/$name"
	done
	said=$(env -u TPROF_BUILD "$run" "LOG=$TMP/log" GROUP=fake "TIMEOUT=${seconds:-60}" $programs 2>&1)
	status=$?
	last=$(printf '%s\n' "$said" | tail -n 1)
}

# fails NAME WHAT SUMMARY [PATTERN]: the program is counted as SUMMARY says, and the output matches PATTERN
fails() {
	judge "$1"
	is "$2" "$last ($status)" "$3 (1)"
	[ -z "$4" ] || like "$2: says so" "$said" "$4"
}

program good <<'END'
echo 1..2; echo 'ok 1 - one'; echo 'ok 2 - two'
END
judge good
is 'all passed' "$last ($status)" '2 passed, 0 failed, 0 skipped (0)'

program late_plan <<'END'
echo 'ok 1 - one'; echo '    not ok 1 - of a subtest'; echo 1..1
END
judge late_plan good
is 'plan at the end, two programs, subtests ignored' "$last ($status)" '3 passed, 0 failed, 0 skipped (0)'

program skipping <<'END'
echo 1..2; echo 'ok 1 - one'; echo 'ok 2 - two # SKIP no such hardware'
END
judge skipping
is 'a skip with its reason' "$last ($status)" '1 passed, 0 failed, 1 skipped (0)'
like 'a skip with its reason: says so' "$said" 'SKIP.*two: no such hardware'

program table <<'END'
echo 1..1; echo 'ok 1 - one'; echo '#: a table'; echo '# a remark'
END
judge table
is 'lines to be shown are, others not' "$(printf '%s\n' "$said" | grep '^a \|a table\|a remark')" 'a table'

program red <<'END'
echo 1..2; echo 'ok 1 - one'; echo 'not ok 2 - two'; echo '# got 3'; exit 1
END
fails red 'a case failed' '1 passed, 1 failed, 0 skipped' '# got 3'

program explained <<'END'
echo 1..2; echo '# of the first'; echo 'ok 1 - one'; echo '# got 4'; echo 'not ok 2 - two'; exit 1
END
fails explained 'a case failed, explained before' '1 passed, 1 failed, 0 skipped' '# got 4'
is 'what was said of another case is not shown' "$(printf '%s\n' "$said" | grep -c 'of the first')" 0

judge red good explained
is 'the failures once more at the end' "$(printf '%s\n' "$said" | sed -n '/^failed:/,/^$/p' | paste -sd '|')" \
	'failed:|      fake/red: two|          # got 3|      fake/explained: two|          # got 4|'

program red_exit_0 <<'END'
echo 1..1; echo 'not ok 1 - one'
END
fails red_exit_0 'a case failed, exit code 0' '0 passed, 1 failed, 0 skipped' 'FAIL.*: one'

program crash <<'END'
echo 1..1; echo 'ok 1 - one'; echo 'ERROR: leak' >&2; kill -SEGV $$
END
fails crash 'crash after the last case' '1 passed, 1 failed, 0 skipped' 'ERROR: leak'

program exit_1 <<'END'
echo 1..1; echo 'ok 1 - one'; exit 1
END
fails exit_1 'exit code without a failed case' '1 passed, 1 failed, 0 skipped' 'exit code 1'

program unplanned <<'END'
echo 'ok 1 - one'
END
fails unplanned 'no plan' '1 passed, 1 failed, 0 skipped' 'no plan'

program silent <<'END'
exit 0
END
fails silent 'no output' '0 passed, 1 failed, 0 skipped' 'no plan'

program short <<'END'
echo 1..3; echo 'ok 1 - one'
END
fails short 'fewer cases than planned' '1 passed, 1 failed, 0 skipped' '3 cases planned, 1 seen'

program long <<'END'
echo 1..1; echo 'ok 1 - one'; echo 'ok 2 - two'
END
fails long 'more cases than planned' '2 passed, 1 failed, 0 skipped' '1 cases planned, 2 seen'

program twice <<'END'
echo 1..1; echo 'ok 1 - one'; echo 1..1
END
fails twice 'two plans' '1 passed, 1 failed, 0 skipped' '2 plans'

program order <<'END'
echo 1..2; echo 'ok 1 - one'; echo 'ok 3 - three'
END
fails order 'a case left out' '2 passed, 1 failed, 0 skipped' 'case 3 where 2 was due'

program slow <<'END'
echo 1..1; echo 'ok 1 - one'; sleep 60
END
seconds=1 fails slow 'out of time' '1 passed, 1 failed, 0 skipped' 'still running after 1 s'

program stubborn <<'END'
trap '' TERM
echo 1..1; echo 'ok 1 - one'; while :; do sleep 60; done
END
seconds=1 fails stubborn 'out of time, deaf to SIGTERM' '1 passed, 1 failed, 0 skipped' 'still running'

program mute_skip <<'END'
echo 1..1; echo 'ok 1 - one # SKIP'
END
fails mute_skip 'a skip without reason' '0 passed, 1 failed, 0 skipped' 'without a reason'

program mute_skip_all <<'END'
echo '1..0 # SKIP'
END
fails mute_skip_all 'all skipped without reason' '0 passed, 1 failed, 0 skipped' 'without a reason'

program skip_all <<'END'
echo '1..0 # SKIP no such hardware'
END
fails skip_all 'nothing but skips' '0 passed, 0 failed, 1 skipped' 'no such hardware'

program bail <<'END'
echo 1..1; echo 'ok 1 - one'; echo 'Bail out! no disk'
END
fails bail 'bail out' '1 passed, 1 failed, 0 skipped' 'no disk'

fails absent 'no such program' '0 passed, 1 failed, 0 skipped' 'exit code 127'

judge
is 'nothing to run' "$last ($status)" '0 passed, 0 failed, 0 skipped (1)'

# Programs with the same name would share one result.
mkdir "$TMP/other"
cp "$TMP/good" "$TMP/other/good"
judge good red other/good
is 'two of one name are not run' "$last ($status)" 'tests/run: more than one program is called fake/good (1)'

program reader <<'END'
echo 1..1; if read -r line; then echo "not ok 1 - $line"; else echo 'ok 1 - no input'; fi
END
judge reader
is 'programs have no standard input' "$last ($status)" '1 passed, 0 failed, 0 skipped (0)'
# Each program waits until the other has started, so both pass only if they run at the same time.
for name in ping pong; do
	program $name <<END
touch "$TMP/began.$name"
while [ ! -e "$TMP/began.ping" ] || [ ! -e "$TMP/began.pong" ]; do sleep 0.05; done
echo 1..1; echo 'ok 1 - both were there'
END
done
said=$(env -u TPROF_BUILD "$run" "LOG=$TMP/log" GROUP=fake TIMEOUT=5 AT_ONCE=2 "$TMP/ping" "$TMP/pong" "$TMP/red" \
	AT_ONCE=1 "$TMP/good" 2>&1)
is 'two at once, and then one' "$(printf '%s\n' "$said" | tail -n 1) ($?)" '5 passed, 1 failed, 0 skipped (1)'
like 'two at once: what failed is said' "$said" '# got 3'
rm "$TMP"/began.*
said=$(env -u TPROF_BUILD "$run" "LOG=$TMP/log" TIMEOUT=5 AT_ONCE=2 GROUP=one "$TMP/ping" \
	AT_ONCE=2 GROUP=two "$TMP/pong" 2>&1)
is 'two at once, of two groups' "$(printf '%s\n' "$said" | tail -n 1) ($?)" '2 passed, 0 failed, 0 skipped (0)'

# A test that gets SIGPIPE still cleans up.
program watched <<END
. "$(realpath "${run%run}lib/tap.sh")"
at_exit "touch $TMP/cleaned"
for line in \$(seq 20); do echo "# \$line"; sleep 0.1; done
END
env -u TPROF_BUILD "$TMP/watched" 2>/dev/null | head -n 1 >/dev/null
is 'a test that nobody reads any more cleans up' "$(ls "$TMP/cleaned" 2>&1)" "$TMP/cleaned"

# With RESUME, a run executes only programs that have not passed in the previous one.
program once <<END
echo 1..1; if [ -e "$TMP/ran" ]; then echo 'not ok 1 - again'; else echo 'ok 1 - once'; fi; touch "$TMP/ran"
END
program mended <<END
echo 1..1; if [ -e "$TMP/whole" ]; then echo 'ok 1 - mended'; else echo 'not ok 1 - broken'; fi
END
# goes_on PROGRAM...: runs programs with RESUME; $said is the output, $went its last line
goes_on() {
	said=$(env -u TPROF_BUILD "$run" "RESUME=$TMP/resume" "LOG=$TMP/log" GROUP=fake TIMEOUT=5 "$@" 2>&1)
	went=$(printf '%s\n' "$said" | tail -n 1)
}
goes_on "$TMP/once" "$TMP/mended"
is 'to be resumed: one fails' "$went" '1 passed, 1 failed, 0 skipped'
touch "$TMP/whole"
goes_on "$TMP/once" "$TMP/mended" GROUP=other "$TMP/good"
is 'resumed: what passed is not run again' "$went" '4 passed, 0 failed, 0 skipped'
like 'by kind' "$said" 'fake +2 +2 +0 +0 '
like 'by kind, another' "$said" 'other +1 +2 +0 +0 '
goes_on "$TMP/once"
is 'all had passed: from the start' "$went" '0 passed, 1 failed, 0 skipped'
sed -i '1s/.*/sources 1 1/' "$TMP/resume"
rm "$TMP/ran"
goes_on "$TMP/once"
is 'other sources: from the start' "$went" '1 passed, 0 failed, 0 skipped'

# repeats RUNS PROGRAM...: runs tests/repeat; $said is the output, $went its last line
repeats() {
	runs=$1
	shift
	said=$(env -u TPROF_BUILD "${run%run}repeat" "$TMP/count" "$runs" "LOG=$TMP/log" GROUP=fake TIMEOUT=5 "$@" 2>&1)
	went="$(printf '%s\n' "$said" | tail -n 1) ($?)"
}
program counts <<END
echo x >>"$TMP/times"; echo 1..1; echo 'ok 1 - one'
END
program third_fails <<END
echo 1..1
[ \$(wc -l <"$TMP/times") -ne 3 ] && echo 'ok 1 - one' || echo 'not ok 1 - one'
END
# The runner is the parent of timeout, which is the parent of the test.
program interrupts <<END
echo 1..1
[ -e "$TMP/interrupted" ] || { touch "$TMP/interrupted"; kill \$(cut -d' ' -f4 "/proc/\$PPID/stat"); sleep 4; }
echo 'ok 1 - one'
END
repeats 3 "$TMP/good" "$TMP/counts"
is 'repeated: so many times' "$went, $(wc -l <"$TMP/times")" 'passed 3 times (0), 3'
rm "$TMP/times"
repeats 5 "$TMP/counts" "$TMP/third_fails"
is 'repeated: ends with the first failure' "$went, $(wc -l <"$TMP/times")" \
	'failed in run 3, so none of them counts (1), 3'
rm "$TMP/times"
repeats 4 "$TMP/counts"
is 'repeated: begins again after one' "$went, $(wc -l <"$TMP/times")" 'passed 4 times (0), 4'
rm "$TMP/times"
repeats 2 "$TMP/counts" "$TMP/interrupts"
like 'repeated: interrupted' "$went" '\(130\)$'
repeats 2 "$TMP/counts" "$TMP/interrupts"
is 'repeated: goes on where it was' "$went, $(wc -l <"$TMP/times")" 'passed 2 times (0), 2'
# The sources change during the run.
mkdir "$TMP/tree"
cp -r "${run%/run}" "$TMP/tree/tests"
{
	git -C "$TMP/tree" init -q && git -C "$TMP/tree" add . &&
		git -C "$TMP/tree" -c user.name=tests -c user.email=tests@localhost commit -q -m tests
} 2>"$TMP/stderr" || bail "no tree: $(cat "$TMP/stderr")"
program changes <<END
echo 1..1; echo 'ok 1 - one'; echo >>"$TMP/tree/tests/run"
END
said=$(cd "$TMP/tree" && env -u TPROF_BUILD tests/repeat "$TMP/count" 2 "LOG=$TMP/log" GROUP=fake "$TMP/changes" 2>&1)
is 'repeated: not with other sources' "$(printf '%s\n' "$said" | tail -n 1)" \
	'the sources have changed in run 1, so none of them counts'

done_testing
