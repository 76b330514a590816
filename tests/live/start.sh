#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The start of a session: what the kernel's verifier has to check and to look up before the first sample.
. "${0%/*}/../lib/live.sh"

cc -O2 -D_GNU_SOURCE "${0%/*}/../bench/measure.c" -o "$TMP/measure" || bail 'cannot build measure'

# verified FILTER: prints how many instructions the verifier checks when the filter is loaded for the perf engine
verified() {
	"$TPROF" filter check "$1" | sed -n 's/^ *engine perf: accepted, \([0-9]*\) instructions verified$/\1/p'
}

# Each takes the verifier a microsecond. It checks code again for each way that leads to it.
at_most 'instructions verified: top' "$(verified top)" 800
at_most 'instructions verified: stacks' "$(verified stacks)" 16000

# cpu_us SWITCH: prints the CPU time in microseconds of a session with a scope, the least of three, while the kernel
# says that its compiler of programs is off (0) or on (1)
cpu_us() {
	echo "$1" >"$TMP/switch"
	for _ in 1 2 3; do
		# shellcheck disable=SC2016 # expanded by the inner shell
		unshare -m sh -c 'mount --bind "$1" /proc/sys/net/core/bpf_jit_enable && shift && exec "$@"' sh \
			"$TMP/switch" "$TMP/measure" "$TMP/took" "$TPROF" run pass --duration 0.01 -p $$ \
			>"$TMP/stdout" 2>"$TMP/stderr" || diag "$(cat "$TMP/stderr")"
		cut -d ' ' -f 3 "$TMP/took"
	done | sort -n | head -n 1
}

# Without the function that casts, which only compiled programs can call, pointers are trusted, and kernels from 6.2 to
# 6.18 look up types for each of them.
plain=$(cpu_us 0)
cast=$(cpu_us 1)
diag "CPU time of a session: $cast us with cast pointers, $plain us without"
check 'a session runs both ways' test "$cast" -gt 0 -a "$plain" -gt 0
case $(uname -r) in
6.[2-9].* | 6.1[0-8].*) at_most 'CPU time with casts, % of that without' $((cast * 100 / plain)) 85 ;;
*) skip 'CPU time with casts, % of that without' 'this kernel looks up nothing' ;;
esac

done_testing
