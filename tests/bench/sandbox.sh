#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# sandbox.sh BUILD: prints a section of BENCHMARKS.md about the cost of the sandbox, at the start and during sampling.
# REPEAT sets the number of rounds (5).
set -u

. "${0%/*}/part.sh"
seconds=${SECONDS_EACH:-10}

# shellcheck disable=SC2046 # words
cc -O2 -D_GNU_SOURCE -I"$here/../../include" -I"$here/../../libtprof" "$here/sandbox_cost.c" "$build/libtprof.a" \
	$(pkg-config --libs libbpf libelf libdw liblzma jansson libprotobuf-c zlib libzstd) -liberty \
		-o "$out/sandbox_cost" ||
	fail 'no compiler'

TPROF_FILTER_PATH=$build/filters "$out/sandbox_cost" 101 >"$out/start.ns" || fail 'no sandbox'

# compare LOAD: measures CPU time and memory with and without the sandbox, under the current load
compare() {
	for _ in $(seq "${REPEAT:-5}"); do
		measured "$build/tprof" top --batch --duration "$seconds" >"$out/answer"
		note "$1" inside "$(took 3)"
		note rss inside "$(took 4)"
		measured "$build/tprof" top --batch --duration "$seconds" --no-sandbox >"$out/answer"
		note "$1" outside "$(took 3)"
		note rss outside "$(took 4)"
	done
}

load "$build/workload/spin" --seconds 1000 --threads "$(nproc)"
sleep 0.5
compare steady
load "$build/workload/spin" --seconds 1000 --fork 20 --exec
sleep 0.5
compare moving
stop_load

# cpu LOAD WHERE: prints the CPU time in ms
cpu() {
	in_units %.1f 1e3 "$(median "$1" "$2")"
}

start=$(in_units %.2f 1e6 "$(median start ns)")

cat <<END
## What the sandbox costs

\`tprof_session__sandbox()\` of a prepared session, the child that answers questions included, the median of 101; and
$seconds s of \`tprof top\` on a machine with a busy thread for each CPU, without and with 20 programs a second that
start, each of which is asked for there; medians of ${REPEAT:-5} rounds.

| | in its sandbox | --no-sandbox |
|---|---|---|
| giving rights up, ms | $start | - |
| CPU time, ms | $(cpu steady inside) | $(cpu steady outside) |
| CPU time while programs start, ms | $(cpu moving inside) | $(cpu moving outside) |
| resident memory, MB | $(in_units %.1f 1024 "$(median rss inside)") | $(in_units %.1f 1024 "$(median rss outside)") |

$GOALS
$(goal 'giving rights up, ms' "$start" 2)
$(goal 'CPU time, ms, against that without and 3 for the start and noise' "$(cpu steady inside)" \
	"$(awk -v ms="$(cpu steady outside)" 'BEGIN { print ms + 3 }')")
END
