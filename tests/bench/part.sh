# SPDX-License-Identifier: GPL-2.0-only
# Common functions of the scripts that measure a part of BENCHMARKS.md, SCRIPT BUILD [...]: directories, load,
# measurements and goals.
#
#	$here	the directory of the script
#	$build	BUILD
#	$out	a directory that is removed at the end of the script; the load ends then too

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

# load COMMAND...: starts a program as load
load() {
	"$@" >/dev/null 2>&1 &
	load_pids="$load_pids $!"
}

progress() {
	printf '\r%-60s' "$*" >&2
}

# publish FILE: replaces FILE with the report, and copies its plots to docs/ beside it; fails if something is missing
publish() {
	[ ! -e "$out/missing" ] || fail 'the report is not complete'
	cp "$out/report.md" "$1"
	[ ! -d "$out/plots" ] || cp "$out"/plots/*.svg "$(dirname "$1")/docs/"
}

cc -O2 -D_GNU_SOURCE "$here/measure.c" -o "$out/measure" || fail 'no compiler'

# measured COMMAND...: runs it and stores the measurement for took()
measured() {
	"$out/measure" "$out/took" "$@"
}

# took N: prints the nth number of the last measurement: start in ns, duration in ns, CPU time in us, memory in KiB
took() {
	cut -d ' ' -f "$1" "$out/took"
}

# work [COMMAND...]: sets $rate to the work that a thread on each CPU does in 3 s while the command runs, without a unit
work() {
	"$build/workload/spin" --seconds 3 --threads "$(nproc)" --report >"$out/work" &
	worker=$!
	[ $# -eq 0 ] || "$@"
	wait $worker
	# Divided by the real duration
	rate=$(awk '{ print $1 / $3 }' "$out/work")
}

# slower RATE: prints by how many percent $rate is less than RATE. The speed of the machine varies over longer times
# than a round, so only measurements of the same round are compared.
slower() {
	awk -v rate="$rate" -v all="$1" 'BEGIN { printf "%.2f\n", 100 * (1 - rate / all) }'
}

# note WHAT TOOL NUMBER
note() {
	echo "$3" >>"$out/$1.$2"
}

# median WHAT TOOL: prints the median of the noted numbers
median() {
	sort -n "$out/$1.$2" | awk '{ v[NR] = $1 } END {
		m = int((NR + 1) / 2); print NR % 2 ? v[m] : (v[m] + v[m + 1]) / 2 }'
}

# in_units FORMAT DIVISOR NUMBER: prints a number in another unit
in_units() {
	awk -v format="$1" -v by="$2" -v n="$3" 'BEGIN { printf format "\n", n / by }'
}

# ratio A B: prints A/B with three significant digits
ratio() {
	awk -v a="$1" -v b="$2" 'BEGIN { printf "%.3g\n", a / b }'
}

# verdict VALUE GOAL
verdict() {
	awk -v v="$1" -v goal="$2" 'BEGIN { print v <= goal + 0 ? "yes" : "**no**" }'
}

# goal WHAT VALUE GOAL: prints a line of a table
goal() {
	echo "| $1 | $2 | $3 | $(verdict "$2" "$3") |"
}

GOALS='| what is promised | measured | at most | kept |
|---|---|---|---|'
