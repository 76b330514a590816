#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=129
# A client that opens and closes sessions a thousand times loses neither memory nor descriptors.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/compile.sh"

TPROF_FILTER_PATH=$BUILD/filters
export TPROF_FILTER_PATH

# A cycle takes a tenth of a second, half of it waiting for the kernel; so the thousand are run four at a
# time. storm COMMAND...: says what the four said, fails if one of them does
storm() {
	storm_pids= storm_code=0
	for _ in 1 2 3 4; do
		"$@" 250 &
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
	check 'AddressSanitizer: 1,000 cycles without a leak' storm env ASAN_OPTIONS=detect_leaks=1 "$TMP/sanitized"
else
	skip 'AddressSanitizer: 1,000 cycles without a leak' "no $sanitized; make san builds it"
fi

# What is kept but not lost is no leak to a sanitizer. The first tenth of the cycles is for the allocator.
compile "$TMP/plain" "$BUILD/libtprof.a" "${0%/*}/programs/open_close.c"
left=$("$TMP/plain" 200 2>"$TMP/stderr")
like '200 cycles work' "$left$(cat "$TMP/stderr")" '^-?[0-9]+ -?[0-9]+$'
diag "left behind by the last 180 cycles: $left (KiB, descriptors)"
# One KiB kept in each cycle would be seen.
at_most '200 cycles: memory left behind, KiB' "${left% *}" 180
is '200 cycles: descriptors left behind' "${left#* }" 0

# Whoever is executed in its place, in the middle of sampling, inherits nothing.
# shellcheck disable=SC2016 # of the shell there
"$TMP/plain" 1 sh -c 'echo pid $$; ls -l /proc/self/fd; "$0" list sessions --json | jq -c "map(.pid)"' "$TPROF" \
	>"$TMP/inherited" 2>&1 </dev/null
heir=$(sed -n 's/^pid //p' "$TMP/inherited")
like 'exec while it samples: the other runs' "$(cat "$TMP/inherited")" '/proc/[0-9]+/fd$'
is 'exec while it samples: no descriptor of bpf or perf' "$(grep anon_inode "$TMP/inherited")" ''
is 'exec while it samples: no session' \
	"$(sed -n '/^\[/p' "$TMP/inherited" | jq --argjson pid "${heir:-0}" 'index($pid)')" null

# Valgrind sees what the libraries below lose as well; it knows too little of bpf() to say what was set.
if command -v valgrind >/dev/null; then
	check 'valgrind: no leak' valgrind -q --undef-value-errors=no --leak-check=full \
		--errors-for-leak-kinds=definite,indirect --error-exitcode=9 "$TMP/plain" 10
else
	skip 'valgrind: no leak' 'no valgrind'
fi

done_testing
