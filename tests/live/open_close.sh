#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=40 long
# A client that opens and closes 200 sessions, 1,000 with LONG=1, leaks neither memory nor descriptors.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/compile.sh"

TPROF_FILTER_PATH=$BUILD/filters
export TPROF_FILTER_PATH

cycles=50
[ -z "${LONG:-}" ] || cycles=250

# storm COMMAND...: runs the command four times at once; prints their output, fails if one of them does. A cycle takes a
# tenth of a second, half of it waiting for the kernel, so four at once are faster.
storm() {
	storm_pids= storm_code=0
	for _ in 1 2 3 4; do
		"$@" "$cycles" &
		storm_pids="$storm_pids $!"
	done
	for storm_pid in $storm_pids; do
		wait "$storm_pid" || storm_code=1
	done
	return $storm_code
}

sanitized=$BUILD/san-address-undefined/libtprof.a
if [ -e "$sanitized" ]; then
	compile "$TMP/sanitized" "$sanitized" -fsanitize=address,undefined "${0%/*}/programs/open_close.c"
	check 'AddressSanitizer: no leak' storm env ASAN_OPTIONS=detect_leaks=1 "$TMP/sanitized"
else
	skip 'AddressSanitizer: no leak' "no $sanitized; make san builds it"
fi

# Sanitizers do not report memory that grows but is still referenced, so memory is measured, after a tenth of the cycles
# in which the allocator settles.
compile "$TMP/plain" "$BUILD/libtprof.a" "${0%/*}/programs/open_close.c"
left=$("$TMP/plain" 200 2>"$TMP/stderr")
like '200 cycles work' "$left$(cat "$TMP/stderr")" '^-?[0-9]+ -?[0-9]+$'
diag "left behind by the last 180 cycles: $left (KiB, descriptors)"
# A growth of 1 KiB in each cycle would fail.
at_most '200 cycles: memory left behind, KiB' "${left% *}" 180
is '200 cycles: descriptors left behind' "${left#* }" 0

# A program that replaces the client by exec while it samples inherits no descriptors.
# shellcheck disable=SC2016 # of the shell there
"$TMP/plain" 1 sh -c 'echo pid $$; ls -l /proc/self/fd; "$0" list sessions --json | jq -c "map(.pid)"' "$TPROF" \
	>"$TMP/inherited" 2>&1 </dev/null
heir=$(sed -n 's/^pid //p' "$TMP/inherited")
like 'exec while it samples: the other runs' "$(cat "$TMP/inherited")" '/proc/[0-9]+/fd$'
is 'exec while it samples: no descriptor of bpf or perf' "$(grep anon_inode "$TMP/inherited")" ''
is 'exec while it samples: no session' \
	"$(sed -n '/^\[/p' "$TMP/inherited" | jq --argjson pid "${heir:-0}" 'index($pid)')" null

# Valgrind also detects leaks of other libraries. It does not know which memory bpf() initializes.
if command -v valgrind >/dev/null; then
	check 'valgrind: no leak' valgrind -q --undef-value-errors=no --leak-check=full \
		--errors-for-leak-kinds=definite,indirect --error-exitcode=9 "$TMP/plain" 10
else
	skip 'valgrind: no leak' 'no valgrind'
fi

done_testing
