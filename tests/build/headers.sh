#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Every header compiles alone; the public headers compile in several standards of C and C++ without warnings.
. "${0%/*}/../lib/tap.sh"
warn='-Wall -Wextra -Werror'

# alone NAME HEADER COMPILER...
alone() {
	name=$1 header=$2
	shift 2
	check "$name" sh -c 'printf "#include \"%s\"\n" "$1" | { shift; "$@"; }' sh "$header" "$@" -fsyntax-only -
}

for header in $(find libtprof cli -name "*.h" | sort); do
	# shellcheck disable=SC2086
	alone "$header" "$header" ${CC:-gcc} -std=gnu11 $warn -D_GNU_SOURCE -I. -Iinclude -Icli -Ilibtprof -xc
done
for standard in c99 c11 c17; do
	# shellcheck disable=SC2086
	for header in libtprof/tprof*.h; do
		alone "$header as $standard" "$header" ${CC:-gcc} -std=$standard $warn -Wpedantic -D_DEFAULT_SOURCE \
			-I. -Iinclude -xc
	done
done
for standard in c++11 c++20; do
	# shellcheck disable=SC2086
	for header in libtprof/tprof*.h; do
		alone "$header as $standard" "$header" ${CXX:-g++} -std=$standard $warn -I. -Iinclude -xc++
	done
	# shellcheck disable=SC2086
	alone "uapi/tprof.h as $standard" include/uapi/tprof.h ${CXX:-g++} -std=$standard $warn -I. -Iinclude -xc++
done
for header in include/uapi/*.h include/tprof/*.h; do
	# shellcheck disable=SC2086
	alone "$header" "$header" ${CC:-gcc} -std=c11 $warn -I. -Iinclude -xc
done
for header in bpf/include/tprof/*.h; do
	# shellcheck disable=SC2086
	alone "$header" "$header" ${CLANG:-clang} --target=bpf -O2 -g -Wall -Werror -I. -Iinclude -Ibpf/include -xc
done
done_testing
