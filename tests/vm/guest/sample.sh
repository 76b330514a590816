# SPDX-License-Identifier: GPL-2.0-only
# vm: seconds=120
# The members of samples are right on this kernel, read one by one and as a whole.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/members.sh"

lazy "$WORKLOAD/spin" --seconds 600
for filter in members whole; do
	members_are_right "${0%/*}/../filters/$filter.bpf.o" perf "$pid"
	members_of_faults "${0%/*}/../filters/$filter.bpf.o" perf
done
done_testing
