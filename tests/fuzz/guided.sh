#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# libFuzzer searches for inputs that crash a reader, for FUZZ_SECONDS (300) each, with as many readers at the same time
# as there are CPUs. Inputs that reach new code are kept in BUILD/fuzz/corpus for the next run; inputs that crash a
# reader are in BUILD/fuzz/found, and READER=NAME BUILD/fuzz/guided FILE repeats the crash. READERS selects readers.
. "${0%/*}/../lib/tap.sh"
. "${0%/*}/../lib/compile.sh"
. "${0%/*}/../lib/samples.sh"

here=${0%/*}
fuzz=$BUILD/fuzz
library=$fuzz/libtprof.a
[ -e "$library" ] || bail "there is no $library: make check-fuzz builds it"
CC=${CLANG:-clang} compile "$fuzz/guided" "$library" -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all \
	"$here/guided.c" "$here/readers.c"

samples "$TMP/samples"
readers=${READERS:-$(ls "$TMP/samples")}
for reader in $readers; do
	[ -d "$TMP/samples/$reader" ] || bail "READERS: there is no $reader, but" $(ls "$TMP/samples")
done

# Waits for the running readers, a list of READER:PID in $beside, and reports the result of each.
judge() {
	for one in $beside; do
		reader=${one%:*}
		said=$TMP/said.$reader
		if wait "${one#*:}"; then
			ok "$reader"
		else
			not_ok "$reader" "$(grep -E '^(==|SUMMARY|artifact|.*runtime error)' "$said" | head -n 8)"
		fi
		diag "$reader: $(awk '/^stat::number_of_executed_units/ { print $2 }' "$said") runs," \
			"$(find "$fuzz/corpus/$reader" -type f | wc -l) inputs that lead somewhere"
	done
	beside=
}

# Starts one reader for each CPU, then waits for all of them: each runs for the same time.
beside=
for reader in $readers; do
	mkdir -p "$fuzz/corpus/$reader" "$fuzz/found"
	READER=$reader ASAN_OPTIONS=allocator_may_return_null=1:detect_leaks=1 "$fuzz/guided" \
		-max_total_time="${FUZZ_SECONDS:-300}" -timeout=20 -rss_limit_mb=2048 -malloc_limit_mb=2048 \
		-artifact_prefix="$fuzz/found/$reader-" -print_final_stats=1 -verbosity=0 \
		"$fuzz/corpus/$reader" "$TMP/samples/$reader" >"$TMP/said.$reader" 2>&1 &
	at_exit "kill $! 2>/dev/null"
	beside="$beside $reader:$!"
	[ "$(echo "$beside" | wc -w)" -lt "$(nproc)" ] || judge
done
judge

done_testing
