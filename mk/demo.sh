#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# demo.sh BUILD: ten seconds of `tprof top` while a workload spends 50, 30 and 20 % in three functions.
set -u

build=$1
if [ "$(id -u)" -ne 0 ]; then
	echo 'demo: profiling all processes needs root (run: sudo make demo)' >&2
	exit 1
fi

"$build/workload/spin" >/dev/null &
workload=$!
trap 'kill $workload 2>/dev/null; wait $workload 2>/dev/null' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

"$build/tprof" top --duration 10
