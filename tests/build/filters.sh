#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The shipped filters are short, and compile with installed headers and the command in docs/filters.md.
. "${0%/*}/../lib/tap.sh"

check 'headers can be installed' make "O=$BUILD" install "DESTDIR=$TMP"
include=$(dirname "$(find "$TMP" -name filter.bpf.h)")/..
for source in bpf/filters/*.bpf.c; do
	name=$(basename "$source" .bpf.c)
	at_most "$name: fewer than 40 lines" "$(wc -l <"$source")" 39
	cp "$source" "$TMP/"
	check "$name: compiles by the bare command" \
		sh -c "cd $TMP && ${CLANG:-clang} -g -O2 --target=bpf -I$include -c $name.bpf.c"
	check "$name: is built" test -s "$BUILD/filters/$name.bpf.o"
done
done_testing
