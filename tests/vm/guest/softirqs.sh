# SPDX-License-Identifier: GPL-2.0-only
# vm: all=perf-6.1 seconds=90
# Soft interrupts on an idle CPU are not idle time: tprof finds where this kernel counts nested interrupts.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/softirqs.sh"

softirqs perf
done_testing
