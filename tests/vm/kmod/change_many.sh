# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=x86-64,next,rt,debug all=x86-64 seconds=240
# 150 changes of one session of the module with several events lose nothing; nr_changes is another number of them.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/changes.sh"

export nr_changes="${nr_changes:-150}"
changes 'several events' change_many kmod cpu-clock page-faults task-clock

done_testing
