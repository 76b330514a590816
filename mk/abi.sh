#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# abi.sh LIBRARY FILE: writes the ABI of a shared library, the functions and types of its public headers, to a file in
# the format of libabigail. It holds no path and no line number, so it changes only if the ABI does.
set -eu

set -- "$1" "$2" libtprof/tprof*.h include/uapi/*.h include/tprof/*.h
library=$1 file=$2
shift 2
for header; do
	set -- "$@" --header-file "$header"
	shift
done
abidw "$@" --drop-private-types --exported-interfaces-only --no-corpus-path --no-comp-dir-path --no-show-locs \
	--no-elf-needed --no-write-default-sizes --type-id-style hash --out-file "$file" "$library"
sed -i '1a <!-- SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) -->' "$file"
