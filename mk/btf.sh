#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# btf.sh MODULE...: fails, and takes the modules away, if one has no BTF: it would load, but no filter could attach.
set -eu

for module in "$@"; do
	readelf -SW "$module" | grep -q ' \.BTF ' && continue
	rm -f "$@"
	echo "kmod: ${module##*/} has no BTF: needs pahole, and the kernel's vmlinux beside its headers" >&2
	exit 1
done
