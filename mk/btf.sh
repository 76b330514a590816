#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# btf.sh MODULE...: if one of the modules has no BTF, removes all and fails: the kernel would load it, but no filter
# could attach to it.
set -eu

for module in "$@"; do
	readelf -SW "$module" | grep -q ' \.BTF ' && continue
	rm -f "$@"
	echo "kmod: ${module##*/} has no BTF: needs pahole, and the kernel's vmlinux beside its headers" >&2
	exit 1
done
