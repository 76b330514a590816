# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=x86-64,rt,next,next-arm64 all=x86-64 seconds=120
# Soft interrupts on an idle CPU are not idle time, on either engine. On x86-64 a CPU of this machine is idle in HLT,
# and handles the interrupt that wakes it before the kernel marks the CPU as not idle; on arm64 the kernel does that
# first.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/softirqs.sh"

softirqs kmod
case $(uname -r)-$(uname -m) in
*-rt-*) softirqs perf ;;
6.12*-x86_64) ;;	# The machine perf-6.12 does it.
*) softirqs perf ;;
esac
done_testing
