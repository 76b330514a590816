#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# `tprof top` on a terminal: the header always says engine, event, rate, samples and loss; keys do what the
# help says; it survives being resized and says when there is too little room.
. "${0%/*}/../lib/live.sh"

command -v tmux >/dev/null || skip_all 'no tmux'

background "$WORKLOAD/spin" --seconds 120

on_tmux() {
	tmux -L "tprof-test-$$" -f /dev/null "$@"
}
at_exit "on_tmux kill-server 2>/dev/null"
# Keeps the server running while the sessions of the test come and go.
on_tmux new-session -d -s keeper 'sleep 170' || skip_all 'tmux does not run here'

# terminal COLUMNS LINES [VARIABLE=VALUE]: a fresh one with tprof top in it
terminal() {
	on_tmux kill-session -t top 2>/dev/null
	rm -f "$TMP/code"
	on_tmux new-session -d -s top -x "$1" -y "$2" "
		env TERM=screen-256color $3 $TPROF top -d 0.5 -F 997 2>$TMP/stderr
		echo code \$? >$TMP/code; sleep 60"
	sleep 2
}

screen() {
	on_tmux capture-pane -t top -p
}

# keys KEY...: typed, with time to take effect
keys() {
	on_tmux send-keys -t top "$@"
	sleep 1
}

terminal 120 30
like 'header: engine' "$(screen | head -n 3)" '\bperf\b'
like 'header: event' "$(screen | head -n 3)" 'cpu-clock|cycles'
like 'header: rate' "$(screen | head -n 3)" '997 *Hz'
like 'header: samples' "$(screen | head -n 3)" '[0-9].* samples'
like 'header: loss' "$(screen | head -n 3)" 'lost|loss'
like 'rows: the workload' "$(screen)" ' hot '

keys h
like 'h: help' "$(screen)" '[Qq]uit'
keys Escape
like 'back from help' "$(screen)" ' hot '
keys p
first=$(screen)
sleep 1.5
is 'p: pauses' "$(screen | tail -n +4)" "$(echo "$first" | tail -n +4)"
like 'p: says so' "$first" '[Pp]aused'
keys p

on_tmux resize-window -t top -x 80 -y 24
sleep 1
like 'resized: still there' "$(screen)" ' hot '
at_most 'resized: lines fit' "$(screen | wc -L)" 80
on_tmux resize-window -t top -x 12 -y 3
sleep 1
on_tmux resize-window -t top -x 100 -y 30
sleep 1
like 'too small for a while: comes back' "$(screen)" ' hot '

keys q
is 'q: ends with 0' "$(cat "$TMP/code" 2>/dev/null)" 'code 0'
is 'q: nothing on stderr' "$(cat "$TMP/stderr")" ''

terminal 120 30
keys C-c
is 'Ctrl-C: ends with 0' "$(cat "$TMP/code" 2>/dev/null)" 'code 0'
like 'Ctrl-C: the terminal is as before' "$(screen; on_tmux send-keys -t top 'x'; sleep 0.3; screen)" 'x'

terminal 15 3
like 'too small: says so' "$(screen; cat "$TMP/stderr")" 'small'
keys q
like 'too small: can be left' "$(cat "$TMP/code" 2>/dev/null)" '^code [024]$'

# How many lines of the screen have a colour: escape sequences 30 to 47 and 90 to 107
coloured() {
	on_tmux capture-pane -t top -p -e | grep -Ec "$(printf '\033')"'\[([0-9]+;)*([34][0-8]|9[0-7]|10[0-7])[;m]'
}

terminal 120 30
like 'colour on a terminal' "$(coloured)" '^[1-9]'
terminal 120 30 NO_COLOR=1
is 'NO_COLOR: none' "$(coloured)" 0
like 'NO_COLOR: all the rest' "$(screen)" ' hot '

done_testing
