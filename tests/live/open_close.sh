#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A client that opens and closes sessions a thousand times loses neither memory nor descriptors.
. "${0%/*}/../lib/live.sh"

libs="$(pkg-config --libs libbpf libelf json-c libprotobuf-c zlib) -liberty"

# build NAME LIBRARY FLAG...
build() {
	build_name=$1 build_library=$2
	shift 2
	# shellcheck disable=SC2086 # libraries are words
	cc -std=gnu11 -D_GNU_SOURCE -g -O1 -Iinclude -Ilibtprof "$@" "${0%/*}/open_close.c" \
		"$build_library" $libs -o "$TMP/$build_name" || bail "cannot build $build_name"
}

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
	build sanitized "$sanitized" -fsanitize=address,undefined
	check 'AddressSanitizer: 1,000 cycles without a leak' storm env ASAN_OPTIONS=detect_leaks=1 "$TMP/sanitized"
else
	skip 'AddressSanitizer: 1,000 cycles without a leak' "no $sanitized; make san builds it"
fi

# What is kept but not lost is no leak to a sanitizer. The first tenth of the cycles is for the allocator.
build plain "$BUILD/libtprof.a"
left=$("$TMP/plain" 200 2>"$TMP/stderr")
like '200 cycles work' "$left$(cat "$TMP/stderr")" '^-?[0-9]+ -?[0-9]+$'
diag "left behind by the last 180 cycles: $left (KiB, descriptors)"
# One KiB kept in each cycle would be seen.
at_most '200 cycles: memory left behind, KiB' "${left% *}" 180
is '200 cycles: descriptors left behind' "${left#* }" 0

# Valgrind sees what the libraries below lose as well; it knows too little of bpf() to say what was set.
if command -v valgrind >/dev/null; then
	check 'valgrind: no leak' valgrind -q --undef-value-errors=no --leak-check=full \
		--errors-for-leak-kinds=definite,indirect --error-exitcode=9 "$TMP/plain" 10
else
	skip 'valgrind: no leak' 'no valgrind'
fi

done_testing
