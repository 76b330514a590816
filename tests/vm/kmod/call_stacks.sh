# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=x86-64,arm64,next seconds=240
# Call stacks of programs whose calls are known are right from the root to the leaf on the module as on perf, with
# samples from a timer, from a counter and from NMIs. For NMIs, these are only some of them; call_stacks_all.sh has all.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/call_stacks.sh"

chains_seconds=1
# Long stack walks are slow in an emulated machine.
chains_deep=200

case $(uname -m) in
x86_64)
	known_chains kmod
	insmod "$TPROF_MODULES/tprof_nmi.ko" || bail 'the source nmi does not load'
	at_exit 'rmmod tprof_nmi'
	chains_rate='-c 1000000'
	brief_chains kmod -e nmi
	;;
aarch64)
	known_chains kmod -e cycles
	;;
esac

done_testing
