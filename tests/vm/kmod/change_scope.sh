# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=x86-64,next,rt,debug all=x86-64 seconds=180
# A client of the library adds and removes processes, threads and cgroups of a running session of the module.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/changes.sh"

changes kmod change_scope kmod /sys/fs/cgroup

done_testing
