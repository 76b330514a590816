# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=none seconds=360
# Workloads with a known answer, under tprof with the module, tprof with perf and perf record at the same time: how far
# each is from the truth, what it lost and what it cost. tprof is the nearest, or as near as chance can tell, on both
# engines. docs/testing.md says how the numbers are made.
#
# At a rate that an emulated machine can bear, of three tools at once.
PEERS_HZ=499
PEERS_ENOUGH=400
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/peers.sh"

tools='tprof_kmod tprof_perf perf'
seconds=8
# A process takes longer to begin in an emulated machine.
forks='--fork 20 --child-ms 30'
. "${0%/*}/../lib/truths.sh"
done_testing
