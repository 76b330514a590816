#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# in_sid.sh ROOT DIRECTORY... -- COMMAND...: runs the command with the Debian sid in ROOT as its root directory, and
# with these directories at the same paths; they are mounted only for the command. Needs root.
set -eu

if [ "${IN_SID:-}" != mounted ]; then
	export IN_SID=mounted
	exec unshare --mount "$0" "$@"
fi

root=$1
shift
mount -t proc proc "$root/proc"
while [ "$1" != -- ]; do
	mkdir -p "$root$1"
	mount --bind "$1" "$root$1"
	shift
done
shift
exec chroot "$root" "$@"
