#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=4
# A program that links the library reads keys and values of tables by their types.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/compile.sh"

compile "$TMP/cells" "$BUILD/libtprof.a" "${0%/*}/programs/cells.c"
background "$WORKLOAD/spin" --seconds 600
sleep 0.2

# cells FILTER TYPE...: all cells of its tables are right, and cells of these types, by number, occur
cells() {
	cells_filter=$1
	shift
	is "$cells_filter: each member is what its type says" \
		"$("$TMP/cells" "$BUILD/filters/$cells_filter.bpf.o" "$pid" 2>"$TMP/seen")" ''
	for type; do
		check "$cells_filter: there are some of type $type" \
			awk -v type="$type" '$(type + 1) > 0 { some = 1 } END { exit !some }' "$TMP/seen"
	done
}

# Addresses, cgroups and processes; stacks; texts
cells top 4 6 8
cells stacks 5 8
cells comm 2

# Keys and values are read word by word, and in whole if they are long.
cat >"$TMP/sizes.bpf.c" <<'END'
#include <tprof/filter.bpf.h>

#define SIZE(name, bytes, text)							\
	struct key_##name { char word[bytes]; };				\
	struct value_##name { __u64 samples, weight; char word[bytes]; };	\
	TPROF_TABLE_OF(name, struct key_##name, struct value_##name, 64);	\
	static const struct key_##name key_of_##name = { text };		\
	static const struct value_##name value_of_##name = { 1, 2, text }

#define COUNT(name) do {							\
	struct key_##name key = key_of_##name;					\
	struct value_##name zero = value_of_##name;				\
	tprof_table_slot(name, &key, &zero, s->weight);				\
} while (0)

SIZE(one, 1, "a");
SIZE(seven, 7, "abcdefg");
SIZE(fifteen, 15, "abcdefghijklmno");
SIZE(many, 64, "0123456789abcdef0123456789ABCDEF0123456789abcdef0123456789ABCDEF");
SIZE(more, 71, "0123456789abcdef0123456789ABCDEF0123456789abcdef0123456789ABCDEFabcdefg");

TPROF_FILTER(sizes, s)
{
	COUNT(one);
	COUNT(seven);
	COUNT(fifteen);
	COUNT(many);
	COUNT(more);
	return TPROF_DONE;
}

TPROF_LICENSE("GPL");
END
# shellcheck disable=SC2086 # options are words
clang -g -O2 --target=bpf $FILTER_INCLUDE -c "$TMP/sizes.bpf.c" -o "$TMP/sizes.bpf.o" || bail 'cannot compile'
"$TPROF" run "$TMP/sizes.bpf.o" --json --duration 1 -p "$pid" 2>"$TMP/stderr" | tail -n 1 >"$TMP/json"
long=0123456789abcdef0123456789ABCDEF0123456789abcdef0123456789ABCDEF
is 'keys and values of any size' "$(jq -r '.tables | sort_by(.name)[] | "\(.name): \([.rows[].members[] |
	select(.name == "word").text] | join(" "))"' "$TMP/json")" "fifteen: abcdefghijklmno abcdefghijklmno
many: $long $long
more: ${long}abcdefg ${long}abcdefg
one: a a
seven: abcdefg abcdefg"
done_testing
