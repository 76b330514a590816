# SPDX-License-Identifier: GPL-2.0-only
# vm: seconds=90
# What soft interrupts do on an idle CPU is not idle time: where this kernel counts in which interrupts it is was found.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/softirqs.sh"

softirqs perf
done_testing
