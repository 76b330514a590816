#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# in_sid.sh ROOT DIRECTORY... -- COMMAND...: runs the command in the folder ROOT with sid in it, where it finds these
# directories at the same paths. Mounted only for the command. Needs root.
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
