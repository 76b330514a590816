#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# libFuzzer looks for input that brings a reader down, FUZZ_SECONDS for each of them (300). What it found worth
# keeping stays in BUILD/fuzz/corpus, where the next run goes on, and what brought a reader down in BUILD/fuzz/found:
# READER=NAME BUILD/fuzz/guided FILE repeats it. READERS chooses some.
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
for reader in ${READERS:-$(ls "$TMP/samples")}; do
	directory=$TMP/samples/$reader
	[ -d "$directory" ] || bail "READERS: there is no $reader, but" $(ls "$TMP/samples")
	mkdir -p "$fuzz/corpus/$reader" "$fuzz/found"
	if READER=$reader ASAN_OPTIONS=allocator_may_return_null=1:detect_leaks=1 "$fuzz/guided" \
			-max_total_time="${FUZZ_SECONDS:-300}" -timeout=20 -rss_limit_mb=2048 -malloc_limit_mb=2048 \
			-artifact_prefix="$fuzz/found/$reader-" -print_final_stats=1 -verbosity=0 \
			"$fuzz/corpus/$reader" "$directory" >"$TMP/said" 2>&1; then
		ok "$reader"
	else
		not_ok "$reader" "$(grep -E '^(==|SUMMARY|artifact|.*runtime error)' "$TMP/said" | head -n 8)"
	fi
	diag "$reader: $(awk '/^stat::number_of_executed_units/ { print $2 }' "$TMP/said") runs," \
		"$(find "$fuzz/corpus/$reader" -type f | wc -l) inputs that lead somewhere"
done

done_testing
