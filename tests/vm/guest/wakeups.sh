# SPDX-License-Identifier: GPL-2.0-only
# vm: seconds=90
# Wake-ups on this kernel: who ends the waits of threads, where in its code, and how long they were blocked.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/wakeups.sh"

wakeups_least=10
wakeups_have_stacks
wakeups_end_waits "${0%/*}/../filters/wake_members.bpf.o"
done_testing
