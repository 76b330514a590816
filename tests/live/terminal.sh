#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=12
# `tprof top` on a terminal: the header always has engine, event, rate, samples and loss; keys work as in the help; the
# view adapts to the size of the terminal and reports when that is too small.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/screen.sh"

background "$WORKLOAD/spin" --seconds 600

# said: prints the screen and the messages on standard error
said() {
	screen
	cat "$TMP/stderr"
}

# with_help: prints the number of lines of the screen that belong to the help
with_help() {
	screen | grep -cE '│ .* │|[┌└]─'
}

# top COLUMNS LINES PATTERN [VARIABLE=VALUE]: starts tprof top in a new terminal, and waits until PATTERN matches
top() {
	terminal "$1" "$2" "env $4 $TPROF top -d 0.5 -F 997"
	comes "$3" said
}

top 120 30 ' hot '
like 'header: engine' "$(screen | head -n 3)" '\bperf\b'
like 'header: event' "$(screen | head -n 3)" 'cpu-clock|cycles'
like 'header: rate' "$(screen | head -n 3)" '997 *Hz'
like 'header: samples' "$(screen | head -n 3)" '[0-9].* samples'
like 'header: loss' "$(screen | head -n 3)" 'lost|loss'
like 'rows: the workload' "$(screen)" ' hot '

keys h
shows 'h: help' 'pause; sampling continues'
keys Escape
comes '^0' with_help
is 'back from help' "$(with_help)" 0
keys p
shows 'p: says so' '[Pp]aused'
first=$(screen)
sleep 1.5
is 'p: pauses' "$(screen | tail -n +4)" "$(echo "$first" | tail -n +4)"
keys p

resize 80 24
sleep 1
shows 'resized: still there' ' hot '
# -J joins wrapped lines.
at_most 'resized: lines fit' "$(on_tmux capture-pane -t view -p -J | wc -L)" 80
resize 12 3
shows 'far too small: says so' '^The termina…'
resize 100 30
shows 'too small for a while: comes back' ' hot '

keys q
ends 'q: ends with 0' 0
without_loss "$TMP/stderr"
is 'q: nothing on stderr' "$(cat "$TMP/stderr")" ''

top 120 30 ' hot '
keys C-c
ends 'Ctrl-C: ends with 0' 0
keys echoed
shows 'Ctrl-C: the terminal is as before' '^echoed'

# Threads: the narrow view has their shares and reasons, a wide one also their processes.
terminal 80 24 "$TPROF top --threads -d 0.5"
shows 'threads: titles' ' RUN READY BLOCK +TID THREAD +BLOCKED IN +WAKER'
shows 'threads: a row' '[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9]+ spin'
keys h
shows 'threads: help' 'sort by running, ready, blocked, name, tid'
keys h g G c s s
shows 'threads: s, and keys that are for functions only' 's by blocked .* threads'
keys l
shows 'threads: the ledger' 'fired +[0-9]'
keys l / s p i n Enter
shows 'threads: found' ' [1-9] of [0-9]+ threads'
is 'threads: only those' "$(screen | grep -cE '^[> ] *[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9]+ (bash|sh|kthreadd)')" 0
resize 160 24
shows 'threads: wide' 'RUNNING +READY +BLOCKED +TID +THREAD +PROCESS +BLOCKED IN +WAKER'
shows 'threads: wide, a row' '%.*% +[0-9]+ +spin +spin \([0-9]+\)|% .* [0-9]+ +spin +spin \([0-9]+\)'
resize 40 10
shows 'threads: very narrow' '^ +RUN READY BLOCK +TID THREAD *$'
keys q
ends 'threads: ends with 0' 0

# A write to a stopped terminal blocks, so tprof cannot check for signals.
terminal 120 30 "sh -c 'echo \$\$ >$TMP/pid; exec $TPROF top -d 0.1 -F 997'"
comes ' hot ' said
stopped=$(cat "$TMP/pid")
killed() {
	kill -TERM "$stopped"
	! grep -q . "/proc/$stopped/cmdline"
}
keys C-s
check 'stopped: it waits for the terminal' comes tty_write cat "/proc/$stopped/stack"
check 'stopped: a signal ends it nevertheless' await killed
ends 'stopped: ends' '(0|143)'
is 'stopped: the view is gone' "$(screen | grep -c ' hot ')" 0
keys echoed
shows 'stopped: the terminal is as before' '^echoed'

# With -p, tprof ends when the process ends, and the heaviest rows stay on the terminal.
background "$WORKLOAD/spin" --seconds 600
terminal 120 30 "$TPROF top -d 0.5 -F 997 -p $pid"
shows '-p: while the process runs' ' hot '
end "$pid"
ends '-p: ends with the process' 0
like '-p: what it was stays' "$(screen)" ' hot '

# The output of a command is shown after the end of the view, limited to the last part.
terminal 120 30 "$TPROF top -F 997 -n 2 -- sh -c 'echo few; echo words'"
ends 'a command: ends' 0
is 'a command: what it wrote' "$(screen | grep -x -e few -e words | xargs)" 'few words'
without_loss "$TMP/stderr"
is 'a command: nothing more to say' "$(cat "$TMP/stderr")" ''
terminal 120 30 "$TPROF top -F 997 -n 2 -- sh -c 'yes | head -c 20000000; echo the end'"
ends 'a command that writes much: ends' 0
is 'a command that writes much: its last words' "$(screen | grep -x -B 1 'the end' | xargs)" 'y the end'
without_loss "$TMP/stderr"
is 'a command that writes much: what is left out' "$(cat "$TMP/stderr")" \
	'tprof: sh: the first 18.1 MiB of its output were dropped'
terminal 120 30 "$TPROF top -d 0.2 -F 997 -n 2 -- yes"
comes ' yes ' said
keys q
ends 'a command that writes for ever: q ends it' 0
like 'a command that writes for ever: what is left out' "$(cat "$TMP/stderr")" \
	'^tprof: yes: the first [0-9.]+ MiB of its output were dropped$'

# A process that continues after the end of the view can still write, and the reader of the pipe ends when it has ended.
# Each program first writes the name of its pipe to a file.
cat >"$TMP/late" <<'END'
# Waits for $1.go, writes more than the capacity of a pipe, and then $1.done.
until [ -e "$1.go" ]; do sleep 0.1; done
yes | head -c 1000000 && touch "$1.done"
END
cat >"$TMP/daemon" <<'END'
pipe=$(readlink "/proc/$$/fd/1")
echo "$pipe" >"$1.pipe"
setsid sh "${0%/*}/late" "$1" </dev/null 2>/dev/null &
END
cat >"$TMP/slow" <<'END'
trap 'trap "" TERM; sh "${0%/*}/late" "$1"; exit' TERM
pipe=$(readlink "/proc/$$/fd/1")
echo "$pipe" >"$1.pipe"
while :; do sleep 0.1; done
END
# is_read NAME: succeeds if a process has the read end of the pipe open
is_read() {
	find /proc/[0-9]*/fd -printf '%l %p\n' 2>/dev/null | sed -n "s/^$(sed 's/[][]/\\&/g' "$1.pipe") //p" |
		sed 's/\/fd\//\/fdinfo\//' | xargs -r grep -hs '^flags:.*0$' | grep -q .
}
is_let_go() {
	! is_read "$1"
}
# writes_on NAME
writes_on() {
	check "$1: its output is a pipe that is read" is_read "$TMP/$1"
	touch "$TMP/$1.go"
	check "$1: writes after the view" await test -e "$TMP/$1.done"
	check "$1: nobody reads when it has ended" await is_let_go "$TMP/$1"
}
terminal 120 30 "$TPROF top -F 997 -n 2 -- sh $TMP/daemon $TMP/daemon"
ends 'a command that leaves a daemon: ends' 0
writes_on daemon
terminal 120 30 "$TPROF top -d 0.2 -F 997 -n 2 -- sh $TMP/slow $TMP/slow"
await test -s "$TMP/slow.pipe"
comes samples said
keys q
ends 'a command that takes its time to end: q' 0
writes_on slow

top 15 3 small
like 'too small: says so' "$(said)" 'small'
keys q
ends 'too small: can be left' '[024]'

top 120 30 ' hot '
like 'colour on a terminal' "$(coloured)" '^[1-9]'
top 120 30 ' hot ' NO_COLOR=1
is 'NO_COLOR: none' "$(coloured)" 0
like 'NO_COLOR: all the rest' "$(screen)" ' hot '

done_testing
