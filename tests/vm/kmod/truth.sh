# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=none seconds=360
# Runs tprof on both engines and perf record at the same time on workloads with a known answer. Prints for each how far
# it is from the truth, how many samples it lost, and its CPU time. tprof must be the nearest, within random errors, on
# both engines. docs/testing.md explains the numbers.
#
# The rate is one that an emulated machine can handle for three tools at once.
PEERS_HZ=499
PEERS_ENOUGH=400
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/peers.sh"

tools='tprof_kmod tprof_perf perf'
seconds=8
# Processes start more slowly in an emulated machine.
forks='--fork 20 --child-ms 30'
. "${0%/*}/../lib/truths.sh"
done_testing
