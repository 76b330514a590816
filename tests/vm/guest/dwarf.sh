# SPDX-License-Identifier: GPL-2.0-only
# vm: seconds=60
# Call stacks of programs without frame pointers, on the perf engine of this kernel.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/call_stacks.sh"

chains_engine=perf chains_event=cpu-clock
chains_dwarf 'recursion' ';(even|odd|bottom)[; ]' \
	"calls;$chains_main((;even;odd){50};bottom|(;even;odd){0,50}|(;even;odd){0,49};even)$chains_interrupt" \
	-- "$OMIT_FP/calls" 100 3
chains_dwarf 'an aligned stack' ';burn[; ]' \
	"frames;$chains_main;run_aligned;aligned;burn$chains_interrupt" -- "$OMIT_FP/frames" aligned 2

done_testing
