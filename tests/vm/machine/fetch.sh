#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# fetch.sh KERNEL-ARCHITECTURE: fetches such a kernel and what its programs are linked with, as prepare.sh would: what
# takes long can be done beside something else. What fails is tried again by who needs it.
set -eu

. "${0%/*}/machine.sh"
arch=${1##*-}
log=$build/vm/fetch-$1.log

fetch() {
	"$harness/kernel.sh" "${1%-*}" "$arch" "$cache/kernels" || return
	[ "$arch" = amd64 ] || "$harness/sysroot.sh" "$arch" "$cache"
}

fetch "$1" >"$log" 2>&1 || echo "vm: $1 cannot be fetched now (log: $log)"
