#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# symbols.sh BUILD: prints a section of BENCHMARKS.md about the time for symbolizing 100,000 different addresses of a
# large file, with tprof and with perf. REPEAT sets the number of rounds (5).
set -u

. "${0%/*}/part.sh"
count=100000
limit=60	# seconds for perf to look up source lines; it starts a search from the beginning for each

# shellcheck disable=SC2046 # words
cc -O2 -D_GNU_SOURCE -I"$here/../../include" -I"$here/../../libtprof" "$here/resolve.c" "$build/libtprof.a" \
	$(pkg-config --libs libbpf libelf libdw liblzma jansson libprotobuf-c zlib libzstd) -liberty \
		-o "$out/resolve" ||
	fail 'no compiler'

# A large program with function symbols: node, or a library of LLVM. Source lines are those of tprof itself, which is
# built with debug information.
for large in "$(command -v node)" /usr/lib/*/libLLVM*.so* "$build/tprof"; do
	[ -r "$large" ] && "$out/resolve" names "$large" "$count" >"$out/first" 2>&1 && break
done
megabytes() {
	stat -Lc %s "$1" | awk '{ printf "%.0f MB", $1 / 1e6 }'
}

# seconds COMMAND...: prints its CPU time, the median of the rounds; nothing if the command times out
seconds() {
	rm -f "$out/cpu.round"
	for _ in $(seq "${REPEAT:-5}"); do
		measured timeout "$limit" "$@" >"$out/answer" 2>"$out/log" || {
			echo "over $limit"
			return
		}
		note cpu round "$(took 3)"
	done
	in_units %.2f 1e6 "$(median cpu round)"
}

# row WHAT MODE FILE KEYS
row() {
	"$out/resolve" perf "$3" "$count" "$out/perf.data" || fail "$3 cannot be read"
	tprof=$(seconds "$out/resolve" "$2" "$3" "$count")
	named=$(cut -d ' ' -f "$([ "$2" = names ] && echo 2 || echo 3)" "$out/answer")
	perf=$(seconds perf report -i "$out/perf.data" --stdio -s "$4")
	echo "| $1 | $(basename "$3"), $(megabytes "$3") | $named | $tprof | $perf |"
}

cat <<END
## What names cost

The same $count different addresses, spread over the code of a file, are named: CPU time in seconds, median of
${REPEAT:-5} rounds. For perf they are samples in a perf.data, and \`perf report --stdio\` names them; for tprof they
are asked for as a session does. perf looks up source lines for $limit s at most.

| what | file | of them named | tprof | perf report |
|---|---|---|---|---|
$(row functions names "$large" sym)
$(row 'source lines and inlined functions' lines "$build/tprof" srcline)
END
