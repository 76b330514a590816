#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Damaged input does not bring the parsers down. Every run takes another seed and says which; SEED repeats
# one.
. "${0%/*}/../lib/tap.sh"

here=${0%/*}
library=$BUILD/san-address-undefined/libtprof.a
flags='-fsanitize=address,undefined -fno-sanitize-recover=all'
if [ ! -e "$library" ]; then
	library=$BUILD/libtprof.a
	flags=
	diag 'without sanitizers: make san builds the library with them'
fi
# shellcheck disable=SC2086 # flags and libraries are words
cc -std=gnu11 -D_GNU_SOURCE -g -O1 $flags -Iinclude -Ilibtprof "$here/mutate.c" "$library" \
	$(pkg-config --libs libbpf libelf json-c libprotobuf-c zlib) -liberty \
	-o "$TMP/mutate" || bail 'cannot build mutate'

SEED=${SEED:-$(date +%s%N)}
ROUNDS=${ROUNDS:-1000}
diag "SEED=$SEED ROUNDS=$ROUNDS"

# feed TARGET ROUNDS FILE
feed() {
	check "$1: $(basename "$3")" env ASAN_OPTIONS=allocator_may_return_null=1:detect_leaks=1 \
		timeout 100 "$TMP/mutate" "$1" "$3" "$2" "$SEED"
}

feed elf "$ROUNDS" "$BUILD/workload/spin"
feed elf "$ROUNDS" "$BUILD/workload/spin_cxx"
for filter in "$BUILD"/filters/*.bpf.o; do
	feed filter "$ROUNDS" "$filter"
done

# PERF_RECORD_MMAP2 (10), 120 bytes, with a build id
{
	printf '\012\0\0\0\002\100\170\0\001\0\0\0\001\0\0\0'
	printf '\0\0\100\0\0\0\0\0\0\020\0\0\0\0\0\0\0\0\0\0\0\0\0\0'
	printf '\024\0\0\0ABCDEFGHIJKLMNOPQRST\005\0\0\0\002\0\0\0/usr/bin/example'
	printf '\0\0\0\0\0\0\0\0\001\0\0\0\001\0\0\0\001\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0'
} >"$TMP/mmap2"
# PERF_RECORD_COMM (3), 48 bytes, of an exec
{
	printf '\003\0\0\0\0\040\060\0\001\0\0\0\001\0\0\0example\0'
	printf '\001\0\0\0\001\0\0\0\001\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0'
} >"$TMP/comm"
# PERF_RECORD_FORK (7), 56 bytes
{
	printf '\007\0\0\0\0\0\070\0\002\0\0\0\001\0\0\0\002\0\0\0\001\0\0\0\001\0\0\0\0\0\0\0'
	printf '\001\0\0\0\001\0\0\0\001\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0'
} >"$TMP/fork"
for record in mmap2 comm fork; do
	feed record $((ROUNDS * 50)) "$TMP/$record"
done

printf 'cpu/event=0x3c,umask=0x01,period=200000/' >"$TMP/event"
printf '_ZN4work5chainImE3hotEmmRKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE' >"$TMP/cxx"
printf '_RNvNtCs1234_7mycrate3foo3barINtNtC3std3vec3VecReEE' >"$TMP/rust"
feed event $((ROUNDS * 50)) "$TMP/event"
feed demangle $((ROUNDS * 20)) "$TMP/cxx"
feed demangle $((ROUNDS * 20)) "$TMP/rust"

"$BUILD/cli/make_profile" small >"$TMP/small.pb.gz" || bail 'there is no make_profile: make unit builds it'
"$BUILD/cli/make_profile" many 100 >"$TMP/many.pb.gz"
for profile in small many; do
	gzip -dc "$TMP/$profile.pb.gz" >"$TMP/$profile.pb"
	feed pprof $((ROUNDS * 5)) "$TMP/$profile.pb"
	feed gzip "$ROUNDS" "$TMP/$profile.pb.gz"
done

done_testing
