#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# fetch.sh KERNEL-ARCHITECTURE: downloads this kernel and the libraries of its programs, as prepare.sh would, so that
# slow downloads run in parallel with the build. prepare.sh repeats a failed download.
set -eu

. "${0%/*}/machine.sh"
arch=${1##*-}
log=$build/vm/fetch-$1.log

fetch() {
	"$harness/kernel.sh" "${1%-*}" "$arch" "$cache/kernels" || return
	[ "$arch" = amd64 ] || "$harness/sysroot.sh" "$arch" "$cache"
}

fetch "$1" >"$log" 2>&1 || echo "vm: $1 cannot be fetched now (log: $log)"
