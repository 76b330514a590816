#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The start of a session: what the kernel's verifier has to check and to look up before the first sample. Kernels from
# 6.2 to 6.18 look up types for each pointer that is read from a structure which is not cast.
. "${0%/*}/../lib/live.sh"

# verified FILTER: prints how many instructions the verifier checks when the filter is loaded for the perf engine
verified() {
	"$TPROF" filter check "$1" | sed -n 's/^ *engine perf: accepted, \([0-9]*\) instructions verified$/\1/p'
}

# Each takes the verifier a microsecond. It checks code again for each way that leads to it.
at_most 'instructions verified: top' "$(verified top)" 800
at_most 'instructions verified: stacks' "$(verified stacks)" 16000

# has_program PID: the process has loaded a program of type perf_event
has_program() {
	cat "/proc/$1/fdinfo/"* 2>/dev/null | grep -q '^prog_type:[[:space:]]*7$'
}

# loaded SWITCH: prints tag and number of verified instructions of the program of a session with a scope, while the
# kernel says that its compiler of programs is off (0) or on (1)
loaded() {
	echo "$1" >"$TMP/switch"
	# shellcheck disable=SC2016 # expanded by the inner shell
	background unshare -m sh -c 'mount --bind "$1" /proc/sys/net/core/bpf_jit_enable && shift && exec "$@"' sh \
		"$TMP/switch" "$TPROF" run stacks --duration 600 -p $$
	await has_program "$pid" || diag "$(cat "$TMP/background.out")"
	for file in "/proc/$pid/fdinfo/"*; do
		awk '{ at[$1] = $2 }
			END { if (at["prog_type:"] == 7) print at["prog_tag:"], at["verified_insns:"] }' "$file"
	done >"$TMP/loaded"
	end "$pid"
	cat "$TMP/loaded"
}

# The tag is a checksum of the instructions. Only programs that are compiled can call the function that casts.
loaded 0 >"$TMP/plain"
loaded 1 >"$TMP/cast"
loaded 1 >"$TMP/again"
is 'a session with a scope starts both ways' "$(cat "$TMP/plain" "$TMP/cast" | wc -l)" 2
is 'the program is the same each time' "$(cat "$TMP/again")" "$(cat "$TMP/cast")"
if grep -q ' bpf_rdonly_cast$' /proc/kallsyms; then
	check 'it casts pointers' test "$(cut -d ' ' -f 1 "$TMP/plain")" != "$(cut -d ' ' -f 1 "$TMP/cast")"
else
	skip 'it casts pointers' 'this kernel has no function that does'
fi
at_most 'instructions verified: stacks, with a scope' "$(cut -d ' ' -f 2 "$TMP/cast")" 20000

done_testing
