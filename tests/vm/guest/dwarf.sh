# SPDX-License-Identifier: GPL-2.0-only
# vm: seconds=60
# Call stacks of programs without frame pointers, on the perf engine of this kernel; 32-bit programs of x86 only here,
# because the kernel of a host may not run them.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/call_stacks.sh"

chains_engine=perf chains_event=cpu-clock
chains_dwarf 'recursion' ';(even|odd|bottom)[; ]' \
	"calls;$chains_main((;even;odd){50};bottom|(;even;odd){0,50}|(;even;odd){0,49};even)$chains_interrupt" \
	-- "$OMIT_FP/calls" 100 3
chains_dwarf 'an aligned stack' ';burn[; ]' \
	"frames;$chains_main;run_aligned;aligned;burn$chains_interrupt" -- "$OMIT_FP/frames" aligned 2

if [ -e "$WORKLOAD/i386/compat32" ]; then
	compat32=$WORKLOAD/i386/compat32
	chains_dwarf 'a 32-bit program' ';bottom[; ]' \
		"compat32;_start;main32;run(;even;odd){3};even;bottom$chains_interrupt" -- "$compat32"
	# Only samples in the system call itself.
	chains_dwarf 'a 32-bit program in a system call' ';\[vdso32[^;]*;entry_' \
		"compat32;_start;main32;run;call_kernel;\\[vdso32[^;]*(;[^;]*)*" -- "$compat32" call
fi

done_testing
