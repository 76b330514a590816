# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=x86-64,arm64,next not=debug,race seconds=240
# Call stacks of programs without frame pointers on the module: with its timer, and with counter interrupts or NMIs,
# where stacks are copied at the delivery of the samples. On x86-64 these are only some call stacks: live/dwarf.sh
# unwinds all of them from copies of the perf engine, and dwarf_all.sh from those of the module.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/call_stacks.sh"

chains_seconds=1

case $(uname -m) in
x86_64)
	unknown_recursion kmod cpu-clock
	chains_dwarf 'cut off where the copy ends' ';burn[; ]' \
		"frames;\\[stack cut off\\];dynamic;burn$chains_interrupt" \
		--call-graph dwarf,1024 -- "$OMIT_FP/frames" dynamic 1
	;;
*)
	unknown_chains kmod cpu-clock
	;;
esac

if [ -e "$TPROF_MODULES/tprof_nmi.ko" ]; then
	insmod "$TPROF_MODULES/tprof_nmi.ko" || bail 'the source nmi does not load'
	at_exit 'rmmod tprof_nmi'
	event=nmi
else
	event=cycles
fi
chains_event=$event
chains_dwarf "$event: recursion" ';(even|odd|bottom)[; ]' \
	"calls;$chains_main((;even;odd){20};bottom|(;even;odd){0,20}|(;even;odd){0,19};even)$chains_interrupt" \
	-- "$OMIT_FP/calls" 40 4

done_testing
