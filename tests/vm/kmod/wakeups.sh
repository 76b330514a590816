# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=x86-64,arm64,next all=arm64 seconds=120
# Wake-ups by the module: who ends the waits of threads, where in its code, and how long they were blocked.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/wakeups.sh"

wakeups_least=10
wakeups_have_stacks
wakeups_by_command
is 'the engine' "$(jq -r .engine "$TMP/json")" kmod
# Where samples take too much of the time of a CPU, short waits and short wake-ups are added up, each on their own.
# A thread that is woken while it leaves its CPU may wait already for one event, but not yet for the other, and an
# emulated CPU may stand still in between.
wakeups_apart=20
echo 0 >/sys/module/tprof/parameters/cpu_time_max_percent
wakeups_end_waits "${0%/*}/../filters/wake_members.bpf.o"
is 'both events: the engine' "$(jq -r .engine "$TMP/json")" kmod
done_testing
