# SPDX-License-Identifier: GPL-2.0-only
# For the scripts that measure a part of BENCHMARKS.md, SCRIPT BUILD [...]: where things are, what the machine is busy
# with, what was measured, what was promised.
#
#	$here	the directory of the script
#	$build	BUILD
#	$out	a directory that goes away with the script, and with it the load

here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd) || exit 1
out=$(mktemp -d) || exit 1
load_pids=

stop_load() {
	[ -n "$load_pids" ] || return 0
	# shellcheck disable=SC2086 # a list of pids
	kill $load_pids 2>/dev/null
	# shellcheck disable=SC2086
	wait $load_pids 2>/dev/null
	load_pids=
}
trap 'stop_load; rm -rf "$out"' EXIT
trap 'exit 130' INT TERM HUP

fail() {
	echo "bench: $*" >&2
	exit 1
}

# load COMMAND...: one of the things that the machine is to be busy with
load() {
	"$@" >/dev/null 2>&1 &
	load_pids="$load_pids $!"
}

progress() {
	printf '\r%-60s' "$*" >&2
}

# publish FILE: the report becomes the file, its plots go to docs/ beside it; unless something is missing
publish() {
	[ ! -e "$out/missing" ] || fail 'the report is not complete'
	cp "$out/report.md" "$1"
	[ ! -d "$out/plots" ] || cp "$out"/plots/*.svg "$(dirname "$1")/docs/"
}

cc -O2 -D_GNU_SOURCE "$here/measure.c" -o "$out/measure" || fail 'no compiler'

# measured COMMAND...: runs it; the numbers are for took()
measured() {
	"$out/measure" "$out/took" "$@"
}

# took N: the n-th number of the last measurement: ns when it began, ns that it took, us of CPU time, KiB of memory
took() {
	cut -d ' ' -f "$1" "$out/took"
}

# work [COMMAND...]: what gets done in 3 s by a thread on each CPU, while the command runs: $rate, in no unit
work() {
	"$build/workload/spin" --seconds 3 --threads "$(nproc)" --report >"$out/work" &
	worker=$!
	[ $# -eq 0 ] || "$@"
	wait $worker
	# Of the time that it took
	rate=$(awk '{ print $1 / $3 }' "$out/work")
}

# slower RATE: percent that $rate is less. The machine has moods that last longer than a round, so what is compared is
# always of the same one.
slower() {
	awk -v rate="$rate" -v all="$1" 'BEGIN { printf "%.2f\n", 100 * (1 - rate / all) }'
}

# note WHAT TOOL NUMBER
note() {
	echo "$3" >>"$out/$1.$2"
}

# median WHAT TOOL: of the numbers noted
median() {
	sort -n "$out/$1.$2" | awk '{ v[NR] = $1 } END {
		m = int((NR + 1) / 2); print NR % 2 ? v[m] : (v[m] + v[m + 1]) / 2 }'
}

# in_units FORMAT DIVISOR NUMBER: in another unit
in_units() {
	awk -v format="$1" -v by="$2" -v n="$3" 'BEGIN { printf format "\n", n / by }'
}

# ratio A B: A/B, exact enough to be judged by
ratio() {
	awk -v a="$1" -v b="$2" 'BEGIN { printf "%.3g\n", a / b }'
}

# verdict VALUE GOAL
verdict() {
	awk -v v="$1" -v goal="$2" 'BEGIN { print v <= goal + 0 ? "yes" : "**no**" }'
}

# goal WHAT VALUE GOAL: a line of a table
goal() {
	echo "| $1 | $2 | $3 | $(verdict "$2" "$3") |"
}

GOALS='| what is promised | measured | at most | kept |
|---|---|---|---|'
