# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=x86-64,arm64,next all=x86-64,arm64 seconds=240
# The call stacks of call_stacks.sh: all of them from NMIs, and the deep ones of the perf engine on arm64.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/call_stacks.sh"

chains_seconds=1
# Long stack walks are slow in an emulated machine.
chains_deep=200

case $(uname -m) in
x86_64)
	insmod "$TPROF_MODULES/tprof_nmi.ko" || bail 'the source nmi does not load'
	at_exit 'rmmod tprof_nmi'
	chains_rate='-c 1000000'
	known_chains kmod -e nmi
	;;
aarch64)
	deep_chains perf
	;;
esac

done_testing
