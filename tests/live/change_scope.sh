#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=9
# A client of the library adds and removes processes, threads and cgroups of a running session: only what is in scope is
# sampled, and the ledger closes.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/compile.sh"
. "${0%/*}/../lib/changes.sh"

root=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
if [ -z "$root" ] || ! mkdir "$root/tprof-one" 2>/dev/null; then
	skip 'cgroups' 'cgroups cannot be made here'
	root=
fi
changes_build change_scope
# shellcheck disable=SC2086 # no directory, no argument
changes scope change_scope perf $root

done_testing
