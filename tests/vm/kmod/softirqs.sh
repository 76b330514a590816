# SPDX-License-Identifier: GPL-2.0-only
# vm: seconds=120
# What soft interrupts do on an idle CPU is not idle time, on either engine. On x86-64 a CPU of this machine waits by
# HLT, and handles the interrupt that wakes it before the kernel says that it woke; on arm64 it says so first.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/softirqs.sh"

softirqs kmod
case $(uname -r)-$(uname -m) in
*-rt-*) softirqs perf ;;
6.12*-x86_64) ;;	# The machine perf-6.12 does it.
*) softirqs perf ;;
esac
done_testing
