# SPDX-License-Identifier: GPL-2.0-only
# Runs terminal views in tmux, for tests that have sourced tap.sh.

command -v tmux >/dev/null || skip_all 'no tmux'

on_tmux() {
	tmux -L "tprof-test-$$" -f /dev/null "$@"
}
at_exit "on_tmux kill-server 2>/dev/null"
# This session keeps the tmux server running while terminals of the test start and end.
on_tmux new-session -d -s keeper 'sleep 600' || skip_all 'tmux does not run here'

# terminal COLUMNS LINES COMMAND: starts a new terminal that runs the shell command. The exit code becomes the title of
# the terminal, after all output of the command; standard error goes to $TMP/stderr.
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

# keys KEY...: types the keys
keys() {
	on_tmux send-keys -t view "$@"
}

resize() {
	on_tmux resize-window -t view -x "$1" -y "$2"
}

# coloured: prints the number of lines of the screen with a colour: escape sequences 30 to 48 and 90 to 107
coloured() {
	on_tmux capture-pane -t view -p -e | grep -Ec "$(printf '\033')"'\[([0-9]+;)*([34][0-8]|9[0-7]|10[0-7])[;m]'
}

# shows NAME PATTERN: waits until a line of the screen matches the extended regular expression
shows() {
	comes "$2" screen
	like "$1" "$(screen)" "$2"
}

# ends NAME CODE: waits until the command ends, with an exit code that matches the extended regular expression CODE
ends() {
	comes '^code' title
	like "$1" "$(title)" "^code $2\$"
}
