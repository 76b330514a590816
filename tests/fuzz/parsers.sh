#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Damaged input does not crash the readers. Each run prints its random seed; SEED=N repeats a run; LONG=1 has more
# rounds.
. "${0%/*}/../lib/tap.sh"
. "${0%/*}/../lib/compile.sh"
. "${0%/*}/../lib/samples.sh"

here=${0%/*}
library=$BUILD/san-address-undefined/libtprof.a
flags='-fsanitize=address,undefined -fno-sanitize-recover=all'
if [ ! -e "$library" ]; then
	library=$BUILD/libtprof.a
	flags=
	diag 'without sanitizers: make san builds the library with them'
fi
# shellcheck disable=SC2086 # flags are words
compile "$TMP/mutate" "$library" $flags "$here/mutate.c" "$here/readers.c"

SEED=${SEED:-$(date +%s%N)}
[ -z "${LONG:-}" ] || ROUNDS=1000
ROUNDS=${ROUNDS:-100}
diag "SEED=$SEED ROUNDS=$ROUNDS"

# rounds READER NAME: prints the number of rounds, more for faster readers
rounds() {
	case $1/$2 in
	lines/spin_cxx) echo $((ROUNDS / 4)) ;;
	lines/*) echo $((ROUNDS * 10)) ;;
	record/* | event/*) echo $((ROUNDS * 50)) ;;
	demangle/* | maps/* | stat/* | perfmap/* | ksyms/*) echo $((ROUNDS * 20)) ;;
	pprof/*) echo $((ROUNDS * 5)) ;;
	raw/*) echo $((ROUNDS * 2)) ;;
	*) echo "$ROUNDS" ;;
	esac
}

samples "$TMP/samples"
for file in "$TMP"/samples/*/*; do
	name=${file##*/} reader=${file%/*}
	reader=${reader##*/}
	check "$reader: $name" env ASAN_OPTIONS=allocator_may_return_null=1:detect_leaks=1 \
		timeout 100 "$TMP/mutate" "$reader" "$file" "$(rounds "$reader" "$name")" "$SEED"
done

done_testing
