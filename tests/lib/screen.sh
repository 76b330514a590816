# SPDX-License-Identifier: GPL-2.0-only
# For tests of views on a terminal, which tmux is: source it behind tap.sh, or what brings that along.

command -v tmux >/dev/null || skip_all 'no tmux'

on_tmux() {
	tmux -L "tprof-test-$$" -f /dev/null "$@"
}
at_exit "on_tmux kill-server 2>/dev/null"
# Keeps the server running while the terminals of the test come and go.
on_tmux new-session -d -s keeper 'sleep 600' || skip_all 'tmux does not run here'

# terminal COLUMNS LINES COMMAND: a fresh one with the command in it, which the shell there reads. Its exit code becomes
# the title of the terminal, on the way of all that it wrote before; its errors come to $TMP/stderr.
terminal() {
	on_tmux kill-session -t view 2>/dev/null
	on_tmux new-session -d -s view -x "$1" -y "$2" "TERM=screen-256color; export TERM
		$3 2>$TMP/stderr; printf '\033]2;code %s\007' \$?; sleep 60"
}

screen() {
	on_tmux capture-pane -t view -p
}

title() {
	on_tmux display-message -p -t view '#{pane_title}'
}

# keys KEY...: typed
keys() {
	on_tmux send-keys -t view "$@"
}

resize() {
	on_tmux resize-window -t view -x "$1" -y "$2"
}

# How many lines of the screen have a colour: escape sequences 30 to 47 and 90 to 107
coloured() {
	on_tmux capture-pane -t view -p -e | grep -Ec "$(printf '\033')"'\[([0-9]+;)*([34][0-8]|9[0-7]|10[0-7])[;m]'
}

# shows NAME PATTERN: a line of the screen comes to match the extended regular expression
shows() {
	comes "$2" screen
	like "$1" "$(screen)" "$2"
}

# ends NAME CODE: the command comes to its end with this exit code, a regular expression
ends() {
	comes '^code' title
	like "$1" "$(title)" "^code $2\$"
}
