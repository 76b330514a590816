# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=x86-64,next,next-arm64 not=debug,race seconds=120
# The members of samples are right and the same on both engines, with the same object.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/members.sh"

lazy "$WORKLOAD/spin" --seconds 600
engines='perf kmod'
case $(uname -r)-$(uname -m) in
6.12*-x86_64) engines=kmod ;;	# The machine perf-6.12 has the other.
esac
for engine in $engines; do
	members_are_right "${0%/*}/../filters/members.bpf.o" $engine "$pid"
	members_of_faults "${0%/*}/../filters/members.bpf.o" $engine
done
done_testing
