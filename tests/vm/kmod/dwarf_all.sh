# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=x86-64,next not=debug,race all=x86-64 seconds=240
# All call stacks of programs without frame pointers on the module, with its timer.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/call_stacks.sh"

chains_seconds=1
unknown_chains kmod cpu-clock
done_testing
