#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# `make kmod` passes its jobs to the make of the kernel, and nothing else that has another meaning there.
. "${0%/*}/../lib/tap.sh"

# In place of the kernel: four targets that each take some time, and that note how many run at the same time.
mkdir -p "$TMP/kdir"
cat >"$TMP/kdir/Makefile" <<'END'
modules: a b c d
	echo $(origin O) >$(M)/seen
	: >$(M)/modules.order
a b c d:
	touch $(M)/running.$@
	ls $(M)/running.* | wc -l >>$(M)/jobs
	sleep 1
	rm $(M)/running.$@
END

# kmod OPTION...: runs make kmod, and sets $jobs to the number of targets that ran at the same time
kmod() {
	rm -rf "$TMP/out"
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make kmod "KDIR=$TMP/kdir" "O=$TMP/out" "$@" >"$TMP/said" 2>&1 ||
		diag "$(cat "$TMP/said")"
	jobs=$(sort -n "$TMP/out/kmod/jobs" | tail -n 1)
}

kmod -j2
is '-j2: two jobs' "$jobs" 2
is '-j2: no warning about the jobserver' "$(grep -i 'warning' "$TMP/said")" ''
is 'O= is not on its command line' "$(cat "$TMP/out/kmod/seen")" environment
kmod -j1
is '-j1: one job' "$jobs" 1
kmod -j3 V=1
is '-j3 with another option: three jobs' "$jobs" 3
kmod
is 'without -j: as many jobs as CPUs' "$jobs" "$(nproc | awk '{ print $1 < 4 ? $1 : 4 }')"
rm -rf "$TMP/out"
make -n kmod "KDIR=$TMP/kdir" "O=$TMP/out" >/dev/null 2>&1
check 'with -n, nothing is built' test ! -e "$TMP/out"
done_testing
