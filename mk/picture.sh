#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# picture.sh BUILD FILE.svg: makes the picture in the README from a real run of `tprof top`, in a terminal of 100 by 24,
# while workloads of the tests keep the CPUs busy. `sudo make picture` runs it.
set -eu

build=$1
file=$2
here=$(dirname "$0")
session=tprof-picture-$$
workloads=
if [ "$(id -u)" -ne 0 ]; then
	echo 'picture: profiling all processes needs root (run: sudo make picture)' >&2
	exit 1
fi

# shellcheck disable=SC2086 # a list of process ids
trap 'kill $workloads 2>/dev/null || :; tmux -L $session kill-server 2>/dev/null || :; rm -f "$file.new"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
"$build/workload/spin" --seconds 60 >/dev/null &
workloads=$!
"$build/workload/syscalls" >/dev/null &
workloads="$workloads $!"
"$build/workload/spin_cxx" 60 >/dev/null &
workloads="$workloads $!"

tmux -L "$session" -f /dev/null new-session -d -x 100 -y 24 \
	"env -u NO_COLOR LC_ALL=C.UTF-8 TERM=screen-256color $build/tprof top -d 3 -F 997"
tmux -L "$session" set-option -g status off
tmux -L "$session" resize-window -x 100 -y 24
sleep 8
tmux -L "$session" capture-pane -e -p | LC_ALL=C awk -f "$here/picture.awk" >"$file.new"
tmux -L "$session" send-keys q
mv "$file.new" "$file"
