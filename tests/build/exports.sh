#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The exports of the shared library, its version script and its public headers have the same functions.
. "${0%/*}/../lib/tap.sh"
library=$BUILD/libtprof.so.1

cat libtprof/tprof*.h >"$TMP/public"
tr '\n' ' ' <"$TMP/public" | grep -o 'TPROF_API [^;(]*[^;( ]*(' | sed -n 's/.*\(tprof_[a-z_]*\)($/\1/p' |
	sort >"$TMP/declared"
sed -n 's/^\t\t\(tprof_.*\);$/\1/p' libtprof/libtprof.map | sort >"$TMP/listed"
nm -D --defined-only "$library" | awk '$2 != "A" { print $3 }' | sed 's/@@.*//' | sort >"$TMP/exported"

check 'tprof.h declares something' test -s "$TMP/declared"
check 'every declaration is found' test "$(wc -l <"$TMP/declared")" -eq "$(grep -c '^TPROF_API ' "$TMP/public")"
check 'libtprof.map lists what tprof.h declares' diff "$TMP/declared" "$TMP/listed"
check 'libtprof.so exports what tprof.h declares' diff "$TMP/declared" "$TMP/exported"
# Programs in C and C++ link each function, also those of headers that tprof.h does not include.
{
	cat <<-END
	#include "tprof.h"
	#include "tprof_sandbox.h"
	typedef void (*any)(void);
	int main(void)
	{
		const any all[] = {
	END
	sed 's/.*/(any)&,/' "$TMP/declared"
	echo '}; for (unsigned long i = 0; i < sizeof(all) / sizeof(all[0]); i++) if (!all[i]) return 1; return 0; }'
} >"$TMP/link.c"
cp "$TMP/link.c" "$TMP/link.cc"
for compiler in "${CC:-gcc} $TMP/link.c" "${CXX:-g++} $TMP/link.cc"; do
	# shellcheck disable=SC2086 # options are words
	check "${compiler%% *}: each function is linked" $compiler -w -Iinclude -Ilibtprof "$library" \
		-Wl,--allow-shlib-undefined -o "$TMP/link"
	check "${compiler%% *}: and found" env LD_LIBRARY_PATH="$BUILD" "$TMP/link"
done
is 'symbols have a version' "$(nm -D --defined-only "$library" | grep ' T ' | grep -vc '@@TPROF_0.2$')" 0
like 'soname' "$(readelf -d "$library")" 'SONAME.*\[libtprof\.so\.1\]'
is 'no executable stack' "$(readelf -lW "$library" | awk '/GNU_STACK/ { print $7 }')" RW
# The only exception is libbpf_log.c: libbpf has a single, global print callback without a context pointer, so
# libbpf_log.c must keep its state in globals.
size -A "$BUILD/libtprof.a" |
	awk '/^[^ ]*\.o / { object = $1 } /^\.(data|bss|tdata|tbss) / && $2 { print object, $1 }' >"$TMP/globals"
is 'no writable globals' "$(grep -vxE 'libbpf_log.o .(tbss|bss)' "$TMP/globals")" ''
done_testing
