# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=x86-64,next,next-arm64 seconds=120
# The members of samples are right and the same on both engines, with the same object.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/members.sh"

lazy "$WORKLOAD/spin" --seconds 600
for engine in perf kmod; do
	members_are_right "${0%/*}/../filters/members.bpf.o" $engine "$pid"
	members_of_faults "${0%/*}/../filters/members.bpf.o" $engine
done
done_testing
