#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The examples in the headers compile in a program, without warnings.
. "${0%/*}/../lib/tap.sh"

# example HEADER: prints the lines of its first comment that are indented with a tab
example() {
	sed '/^#ifndef/,$d; /^ \*	/!d; s/^ \*//' "$1"
}

# Variables that the examples use; the example of tprof.h declares them itself.
given='struct tprof_session *session;
struct tprof_error error;
int fd;'

for header in libtprof/tprof*.h; do
	example "$header" >"$TMP/example"
	[ -s "$TMP/example" ] || continue
	{
		printf '#include <%s>\n' stdio.h unistd.h tprof.h tprof_sandbox.h
		printf '%s\nint main(void)\n{\n' "$given"
		cat "$TMP/example"
		printf '\n\treturn 0;\n}\n'
	} >"$TMP/example.c"
	check "$header" ${CC:-gcc} -std=gnu11 -Wall -Wextra -Werror -Iinclude -Ilibtprof -fsyntax-only "$TMP/example.c"
	echo "$header" >>"$TMP/compiled"
done

# Of filter.bpf.h the filter; after it come commands and a list of definitions. Other headers have a fragment: what is
# before the line "..." is outside of the filter, what follows is in its body.
fragment() {
	printf '#include <tprof/filter.bpf.h>\n\n'
	sed 's/^	\.\.\.$/TPROF_FILTER(example, s)\n{/' "$1"
	printf '	return TPROF_DONE;\n}\n\nTPROF_LICENSE("GPL");\n'
}

for header in bpf/include/tprof/*.h; do
	example "$header" >"$TMP/example"
	[ -s "$TMP/example" ] || continue
	case $header in
	*/filter.bpf.h) sed -n '/^\t#include/,/^\tTPROF_LICENSE/p' "$TMP/example" ;;
	*) fragment "$TMP/example" ;;
	esac >"$TMP/example.bpf.c"
	check "$header has one" grep -q TPROF_FILTER "$TMP/example.bpf.c"
	check "$header" ${CLANG:-clang} -g -O2 --target=bpf -Wall -Werror -Iinclude -Ibpf/include \
		-c "$TMP/example.bpf.c" -o "$TMP/example.bpf.o"
	echo "$header" >>"$TMP/compiled"
done
is 'which headers have one' "$(paste -sd ' ' "$TMP/compiled")" \
	"$(echo libtprof/tprof.h libtprof/tprof_control.h libtprof/tprof_count.h libtprof/tprof_raw.h \
		libtprof/tprof_sandbox.h libtprof/tprof_self.h \
		bpf/include/tprof/bucket.bpf.h bpf/include/tprof/copy.bpf.h bpf/include/tprof/filter.bpf.h \
		bpf/include/tprof/owner.bpf.h bpf/include/tprof/stack.bpf.h)"
done_testing
