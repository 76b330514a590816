# SPDX-License-Identifier: GPL-2.0-only
# Checks recorded call stacks of programs whose calls are known, on either engine. For tests that sourced live.sh, on
# the running kernel or in a guest (sh and grep of busybox).

# Patterns for the kernel frames of interrupts and system calls.
case $(uname -m) in
x86_64)
	# The interrupt-exit path is reached by a jump, so it may be a leaf without the entry frame of the interrupt.
	chains_interrupt='(;(asm_[a-z_0-9]+(;[^;]+)*|(error|common_interrupt)_return|swapgs_restore_regs_[a-z_]+))?'
	chains_entry='entry_SYSCALL_64(_after_hwframe)?'
	chains_syscall='entry_SYSCALL_64_after_hwframe;do_syscall_64'
	chains_calls='x64_sys_call|__x64_sys_(read|write)|ksys_(read|write)'
	;;
aarch64)
	chains_interrupt='(;el0t_64_[a-z]+(;[^;]+)*)?'
	chains_entry='el0t_64_sync'
	chains_syscall='el0t_64_sync;(el0t_64_sync_handler;)?el0_svc'
	chains_calls='do_el0_svc|el0_svc_common[^;]*|invoke_syscall[^;]*|__arm64_sys_(read|write)|ksys_(read|write)'
	;;
*) bail "how is the kernel entered on $(uname -m)?" ;;
esac

# Patterns for the frames before main() and before the first function of a thread. Internal functions of libc may have
# no names.
chains_main='(_start;|__libc_start_[a-z_0-9]+;|\[libc[^;]*\];)*main'
chains_thread='(_*clone3?;|thread_start;|start_thread;|\[libc[^;]*\];)*'

# chains_record FILE ENGINE OPTION... -- COMMAND...: records folded call stacks to FILE, and messages with the ledger to
# $TMP/stderr. The rate in $chains_rate is lower on kernels with lockdep, where a sample at 997 Hz can take longer than
# a period.
chains_rate='-F 997'
[ ! -e /proc/lockdep_stats ] || chains_rate='-F 199'
chains_record() {
	chains_file=$1 chains_engine=$2
	shift 2
	# shellcheck disable=SC2086 # an option and its value
	"$TPROF" record --engine "$chains_engine" $chains_rate --format folded -o "$chains_file" "$@" >"$TMP/stdout" \
		2>"$TMP/stderr" && return
	diag "tprof record $*: $(cat "$TMP/stderr")"
	: >"$chains_file"
	return 1
}

# chains_weight: prints the sum of the weights of the call stacks on standard input
chains_weight() {
	awk '{ sum += $NF } END { printf "%.0f\n", sum }'
}

# chains_lengths: prints the lengths, in frames, of the call stacks on standard input from the root to bottom(), each
# once
chains_lengths() {
	grep ';bottom[; ]' | sed 's/;bottom[; ].*/;bottom/' | awk -F ';' '{ print NF - 1 }' | sort -u
}

# chains_are_enough FILE OF [NS]: the call stacks that match OF weigh more than NS ns (0.2 s), enough to judge shares
chains_are_enough() {
	[ "$(grep -E -e "$2" "$1" | chains_weight)" -gt "${3:-200000000}" ]
}

# chains_gather OF COMMAND...: repeats the recording command up to fifteen times, until its call stacks that match OF
# weigh enough, and collects all of them in $TMP/chains. On a busy machine a program may get too little CPU time, and
# late interrupts of an emulator come where the program leaves the kernel, so few of them are in its functions.
chains_gather() {
	gather_of=$1
	shift
	: >"$TMP/gathered"
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
		"$@" || break
		cat "$TMP/chains" >>"$TMP/gathered"
		chains_are_enough "$TMP/gathered" "$gather_of" 300000000 && break
	done
	mv "$TMP/gathered" "$TMP/chains"
}

# chains_right NAME FILE OF PATTERN: the call stacks that match OF weigh enough, and at least 97 % of their weight
# matches PATTERN from the root to the leaf. Without those of execve(2), which has the name of the program already.
chains_right() {
	chains_all=$(grep -E -e "$3" "$2" | grep -vE '_sys_execve;' | chains_weight)
	chains_good=$(grep -E -e "$3" "$2" | grep -E -e "^$4 [0-9]+\$" | chains_weight)
	if chains_are_enough "$2" "$3" &&
	   awk -v good="$chains_good" -v all="$chains_all" 'BEGIN { exit !(good >= 0.97 * all) }'; then
		ok "$1: from the root to the leaf"
	else
		not_ok "$1: from the root to the leaf" "right: $chains_good of $chains_all ns; wanted: $4"
		diag "wrong: $(grep -E -e "$3" "$2" | grep -Ev -e "^$4 [0-9]+\$" | head -n 5)"
		diag "messages of the last recording: $(cat "$TMP/stderr")"
	fi
}

# Programs run for this long; chains_gather runs them again if that was too short.
chains_seconds=2

# deep_chains ENGINE [OPTION...]: checks the call stacks of recursions that are deeper than the limit of a call stack.
# At $chains_deep calls the root is near enough to be kept; tests lower that where the walk takes long.
chains_deep=400
deep_chains() {
	chains_of=$*
	# The call stack has its root and its leaf, with the mark between them, and no frame beside the mark is missing.
	chains_gather '\[stack cut off\]' chains_record "$TMP/chains" "$@" -- \
		"$WORKLOAD/calls" $chains_deep $chains_seconds
	cut='(;even;odd){20,32}(;even)?;\[stack cut off\]'
	chains_right "$chains_of: deeper than a stack can be" "$TMP/chains" '\[stack cut off\]' \
		"calls;$chains_main$cut(;odd(;even;odd){31}|(;even;odd){31};(even|bottom))$chains_interrupt"
	is "$chains_of: deeper than a stack can be: as long as it can be" \
		"$(chains_lengths <"$TMP/chains")" 127
	chains_gather ';bottom[; ]' chains_record "$TMP/chains" "$@" -- "$WORKLOAD/calls" 5000 $chains_seconds
	chains_right "$chains_of: too deep to walk to the root" "$TMP/chains" ';bottom[; ]' \
		"calls;\\[stack cut off\\];odd(;even;odd){62};bottom$chains_interrupt"
	is "$chains_of: too deep to walk to the root: as long as it can be" "$(chains_lengths <"$TMP/chains")" 127
	chains_gather 'main;.*\[stack cut off\];.*;bottom[; ]' chains_record "$TMP/chains" "$@" --max-stack 16 -- \
		"$WORKLOAD/calls" 30 $chains_seconds
	cut='(;even;odd){1,3}(;even)?;\[stack cut off\]'
	chains_right "$chains_of: short stacks" "$TMP/chains" 'main;.*\[stack cut off\];.*;bottom[; ]' \
		"calls;$chains_main$cut;odd(;even;odd){3};bottom$chains_interrupt"
	is "$chains_of: short stacks: as long as they can be" "$(chains_lengths <"$TMP/chains")" 16
	chains_gather ';bottom[; ]' chains_record "$TMP/chains" "$@" --max-stack 1023 -- \
		"$WORKLOAD/calls" 1000 $chains_seconds
	chains_right "$chains_of: a deep stack as a whole" "$TMP/chains" ';bottom[; ]' \
		"calls;$chains_main(;even;odd){500};bottom$chains_interrupt"
	# With an explicit event, a guest may be too slow to reach the bottom of the next recursion.
	[ $# -eq 1 ] || return 0
	chains_gather ';bottom[; ]' chains_record "$TMP/chains" "$@" --max-stack 1023 -- \
		"$WORKLOAD/calls" 10000 $chains_seconds
	# Judged by weight as well: at the entry of a function the frame of its caller is missing, and one more frame
	# takes part at the other end.
	chains_right "$chains_of: a walk that is given up, and says so at the root" "$TMP/chains" ';bottom[; ]' \
		"calls;\\[stack cut off\\];odd(;even;odd){510};bottom$chains_interrupt"
}

# chains_handler MODE: prints a pattern for the function to which the signal handler of the workload frames returns
chains_handler() {
	[ "$1" = signal ] && echo '(__restore_rt|__kernel_rt_sigreturn|\[[^;]*\])' || echo own_restorer
}

# brief_chains ENGINE [OPTION...]: checks call stacks of a recursion with frame pointers, and of the kernel
brief_chains() {
	chains_of=$*
	# On the way down, at the bottom, and on the way up
	chains_gather ';bottom[; ]' chains_record "$TMP/chains" "$@" -- "$WORKLOAD/calls" 10 $chains_seconds
	chains_right "$chains_of: recursion" "$TMP/chains" ';(even|odd|bottom)[; ]' \
		"calls;$chains_main((;even;odd){5};bottom|(;even;odd){0,5}|(;even;odd){0,4};even)$chains_interrupt"
	chains_right "$chains_of: recursion: at the bottom" "$TMP/chains" ';bottom[; ]' \
		"calls;$chains_main(;even;odd){5};bottom$chains_interrupt"

	# dd may be built without frame pointers; the kernel frames of its call stacks are complete nevertheless.
	chains_gather '^dd;.*;vfs_read' chains_record "$TMP/chains" "$@" --duration $chains_seconds -- \
		dd if=/dev/zero of=/dev/null bs=64k
	chains_right "$chains_of: dd in the kernel" "$TMP/chains" '^dd;.*(entry_SYSCALL|el0t_64_sync)' \
		"dd;([^;]+;)*($chains_entry|$chains_syscall(;($chains_calls))*(;[^;]+)*)"
	chains_right "$chains_of: dd reads" "$TMP/chains" '^dd;.*;vfs_read' \
		"dd;([^;]+;)*$chains_syscall;(($chains_calls);)*ksys_read;vfs_read(;[^;]+)*"
}

# known_chains ENGINE [OPTION...]: checks the call stacks of programs with frame pointers, recorded with these options
known_chains() {
	brief_chains "$@"
	deep_chains "$@"

	chains_gather 'main;work_in_threads;' chains_record "$TMP/chains" "$@" -- \
		"$WORKLOAD/spin" --seconds 2 --threads 2
	# In an emulated machine, reading the clock takes a visible share, more if it needs a system call.
	work="work(;(hot|warm|mild)|(;[^;]*)?;[^;]*clock_gettime(;$chains_entry(;[^;]+)*)?)?"
	chains_right "$chains_of: main()" "$TMP/chains" 'main;work_in_threads;' \
		"spin;$chains_main;work_in_threads;$work$chains_interrupt"
	chains_right "$chains_of: a thread" "$TMP/chains" '^spin;([^m]|m[^a])*;work;' \
		"spin;${chains_thread}$work$chains_interrupt"

	# No call leads to the code that a handler returns to, nor to the start of a coroutine. burn() has no frame of
	# its own, so its caller may be missing; so may the caller of a function that is interrupted at its first byte.
	interrupt=$chains_interrupt
	for mode in signal restorer; do
		chains_gather ';burn[; ]' chains_record "$TMP/chains" "$@" -- "$WORKLOAD/frames" $mode 1
		chains_right "$chains_of: a signal handler: $mode" "$TMP/chains" ';burn[; ]' \
			"frames;$chains_main(;run_$mode)?(;trap)?;$(chains_handler $mode)(;handle)?;burn$interrupt"
	done
	chains_gather ';burn[; ]' chains_record "$TMP/chains" "$@" -- "$WORKLOAD/frames" coroutine 1
	chains_right "$chains_of: a coroutine" "$TMP/chains" ';burn[; ]' \
		"frames;coroutine_end(;coroutine_body)?;burn$chains_interrupt"
}

# Programs without frame pointers
OMIT_FP=$WORKLOAD/omit_fp

# weight_done PROFILE: prints the weight of the counted samples in its ledger
weight_done() {
	"$TPROF" report --json -i "$1" | jq .ledger.weight.done
}

# weighs NAME WEIGHT: the call stacks in $TMP/chains have this weight
weighs() {
	is "$1: the call stacks weigh what was counted" "$(chains_weight <"$TMP/chains")" "$2"
}

# dwarf_record OPTION... -- COMMAND...: records $chains_event on $chains_engine, exports folded call stacks to
# $TMP/chains, and adds the weight of the counted samples to $dwarf_done
dwarf_record() {
	chains_record "$TMP/chains.pb.gz" "$chains_engine" --format pprof -e "$chains_event" --call-graph dwarf "$@" ||
		return
	"$TPROF" export --format folded -i "$TMP/chains.pb.gz" -o "$TMP/chains" 2>"$TMP/stderr.export" ||
		diag "$(cat "$TMP/stderr.export")"
	dwarf_done=$((dwarf_done + $(weight_done "$TMP/chains.pb.gz")))
}

# chains_dwarf NAME OF PATTERN OPTION... -- COMMAND...: like chains_right, for a recording by dwarf_record. If a slow
# machine had no space for the copy of a stack, the call stack has only `[stack not read]` and the leaf. Its weight
# counts, but PATTERN does not apply to it.
chains_dwarf() {
	dwarf_what=$1 dwarf_of=$2 dwarf_pattern=$3 dwarf_done=0
	shift 3
	chains_gather "$dwarf_of" dwarf_record "$@"
	grep -v ';\[stack not read\];' "$TMP/chains" >"$TMP/chains.read"
	chains_right "$dwarf_what" "$TMP/chains.read" "$dwarf_of" "$dwarf_pattern"
	weighs "$dwarf_what" "$dwarf_done"
}

# unknown_recursion ENGINE EVENT: checks the call stacks of a recursion without frame pointers
unknown_recursion() {
	chains_engine=$1 chains_event=$2
	chains_dwarf "$1: recursion" ';(even|odd|bottom)[; ]' \
		"calls;$chains_main((;even;odd){50};bottom|(;even;odd){0,50}|(;even;odd){0,49};even)$chains_interrupt" \
		-- "$OMIT_FP/calls" 100 $chains_seconds
}

# unknown_chains ENGINE EVENT: checks the call stacks of programs without frame pointers
unknown_chains() {
	unknown_recursion "$@"
	chains_dwarf "$1: deeper than a stack can be" ';bottom[; ]' \
		"calls;\\[stack cut off\\];odd(;even;odd){62};bottom$chains_interrupt" \
		-- "$OMIT_FP/calls" 5000 $chains_seconds
	is "$1: deeper than a stack can be: nothing is glued to main()" \
		"$(grep -E '\[stack cut off\];.*main;' "$TMP/chains")" ''
	chains_dwarf "$1: a thread" '^spin;([^m]|m[^a])*;work;' \
		"spin;${chains_thread}work;(hot|warm|mild)$chains_interrupt" \
		--call-graph dwarf,32768 -- "$OMIT_FP/spin" --seconds 2 --threads 2
	chains_right "$1: main()" "$TMP/chains" 'main;work_in_threads;work;' \
		"spin;$chains_main;work_in_threads;work;(hot|warm|mild)$chains_interrupt"
	for mode in signal restorer; do
		chains_dwarf "$1: a signal handler: $mode" ';burn[; ]' \
			"frames;$chains_main;run_$mode;trap;$(chains_handler $mode);handle;burn$chains_interrupt" \
			-- "$OMIT_FP/frames" $mode 1
	done
	chains_dwarf "$1: a coroutine" 'coroutine_body;burn' \
		"frames;coroutine_end;coroutine_body;burn$chains_interrupt" -- "$OMIT_FP/frames" coroutine 1
	chains_sort='([^;]*(qsort|msort)[^;]*;|\[libc[^;]*\];)+'
	chains_dwarf "$1: called back by a library" ';burn[; ]' \
		"frames;$chains_main;run_library;${chains_sort}compare;burn$chains_interrupt" \
		-- "$OMIT_FP/frames" library 1
	chains_dwarf "$1: a frame of any size" ';burn[; ]' \
		"frames;$chains_main;run_dynamic;dynamic;burn$chains_interrupt" -- "$OMIT_FP/frames" dynamic 1
	chains_dwarf "$1: cut off where the copy ends" ';burn[; ]' \
		"frames;\\[stack cut off\\];dynamic;burn$chains_interrupt" \
		--call-graph dwarf,1024 -- "$OMIT_FP/frames" dynamic 1
	chains_dwarf "$1: an aligned stack" ';burn[; ]' \
		"frames;$chains_main;run_aligned;aligned;burn$chains_interrupt" -- "$OMIT_FP/frames" aligned 1
	# A frame that was found by the frame pointer is marked `(frame pointer)`. On arm64 a frame record does not tell
	# where its frame ends, and main() leaves the frame pointer of its caller in the register: from code without a
	# frame record, the unwinder goes directly to the caller of main().
	case $(uname -m) in
	aarch64)
		chains_framed="(\\[cannot unwind\\]|$chains_main)"
		chains_generated='(__libc_start[a-z_]* \(frame pointer\);)?'
		;;
	*)
		chains_framed=$chains_main
		chains_generated=
		;;
	esac
	chains_dwarf "$1: generated code" '\[jit\]' \
		"frames;\\[cannot unwind\\];$chains_generated\\[jit\\]$chains_interrupt" \
		-- "$OMIT_FP/frames" generated 1
	chains_dwarf "$1: generated code with frame pointers" '\[jit\];burn[; ]' \
		"frames;$chains_framed;run_framed \\(frame pointer\\);\\[jit\\];burn$chains_interrupt" \
		-- "$OMIT_FP/frames" framed 1
}
