# SPDX-License-Identifier: GPL-2.0-only
# vm: seconds=90
# Waits of threads on the perf engine: on the oldest kernel that is supported, their time is that of the program's own
# clocks.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/waits.sh"

waits_least=190000000
waits_are_true "${0%/*}/../filters/wait_members.bpf.o"
waits_of_32bit_calls "${0%/*}/../filters/wait_members.bpf.o"
waits_have_stacks
waits_have_wakers
waits_add_up
threads_add_up

done_testing
