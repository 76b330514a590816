# SPDX-License-Identifier: GPL-2.0-only
# Call chains of programs whose calls are known, on an engine: for tests that sourced live.sh, on the running kernel or
# in a guest (busybox's sh and grep).

# What a kernel puts between a program and what it does for it: an interrupt, a system call.
case $(uname -m) in
x86_64)
	chains_interrupt='(;asm_[a-z_0-9]+(;[^;]+)*)?'
	chains_syscall='entry_SYSCALL_64_after_hwframe;do_syscall_64'
	chains_calls='x64_sys_call|__x64_sys_(read|write)|ksys_(read|write)'
	;;
aarch64)
	chains_interrupt='(;el0t_64_[a-z]+(;[^;]+)*)?'
	chains_syscall='el0t_64_sync;(el0t_64_sync_handler;)?el0_svc'
	chains_calls='do_el0_svc|el0_svc_common[^;]*|invoke_syscall[^;]*|__arm64_sys_(read|write)|ksys_(read|write)'
	;;
*) bail "how is the kernel entered on $(uname -m)?" ;;
esac

# What stands before main() and before the first function of a thread; libc's own functions may have no names.
chains_main='(_start;|__libc_start_[a-z_0-9]+;|\[libc[^;]*\];)*main'
chains_thread='(_*clone3?;|thread_start;|start_thread;|\[libc[^;]*\];)*'

# chains_record FILE ENGINE OPTION... -- COMMAND...: folded chains into the file, the account into $TMP/stderr
chains_record() {
	chains_file=$1 chains_engine=$2
	shift 2
	"$TPROF" record --engine "$chains_engine" -F 997 --format folded -o "$chains_file" "$@" >"$TMP/stdout" \
		2>"$TMP/stderr" && return
	diag "tprof record $*: $(cat "$TMP/stderr")"
	: >"$chains_file"
	return 1
}

# chains_weight: of all chains on standard input
chains_weight() {
	awk '{ sum += $NF } END { printf "%.0f\n", sum }'
}

# chains_right WHAT FILE OF PATTERN: of the weight of the chains that match OF, at least 97 % is in such that match
# PATTERN, from the root to the leaf; and they are so many that it can be told
chains_right() {
	chains_all=$(grep -E -e "$3" "$2" | chains_weight)
	chains_good=$(grep -E -e "$3" "$2" | grep -E -e "^$4 [0-9]+\$" | chains_weight)
	if awk -v good="$chains_good" -v all="$chains_all" 'BEGIN { exit !(all > 2e8 && good >= 0.97 * all) }'; then
		ok "$1: from the root to the leaf"
	else
		not_ok "$1: from the root to the leaf" "right: $chains_good of $chains_all ns; wanted: $4"
		diag "wrong: $(grep -E -e "$3" "$2" | grep -Ev -e "^$4 [0-9]+\$" | head -n 5)"
	fi
}

# known_chains ENGINE: all of them
known_chains() {
	# On the way down, at the bottom, and on the way up
	chains_record "$TMP/chains" "$1" -- "$WORKLOAD/calls" 10 2
	chains_right "$1: recursion" "$TMP/chains" ';(even|odd|bottom)[; ]' \
		"calls;$chains_main((;even;odd){5};bottom|(;even;odd){0,5}|(;even;odd){0,4};even)$chains_interrupt"
	chains_right "$1: recursion: at the bottom" "$TMP/chains" ';bottom[; ]' \
		"calls;$chains_main(;even;odd){5};bottom$chains_interrupt"

	# The chain is cut at the root, where the mark is, and not one of the 127 frames of the rest is missing.
	chains_record "$TMP/chains" "$1" -- "$WORKLOAD/calls" 5000 2
	chains_right "$1: deeper than a stack can be" "$TMP/chains" '\[stack cut off\]' \
		"calls;\\[stack cut off\\](;odd(;even;odd){63}|(;even;odd){63};(even|bottom))$chains_interrupt"
	chains_right "$1: deeper than a stack can be: at the bottom" "$TMP/chains" ';bottom[; ]' \
		"calls;\\[stack cut off\\](;even;odd){63};bottom$chains_interrupt"
	is "$1: deeper than a stack can be: nothing is glued to main()" \
		"$(grep -E ';main;.*\[stack cut off\]|\[stack cut off\];.*main;' "$TMP/chains")" ''

	chains_record "$TMP/chains" "$1" -- "$WORKLOAD/spin" --seconds 2 --threads 2
	chains_right "$1: main()" "$TMP/chains" 'main;work_in_threads;' \
		"spin;$chains_main;work_in_threads;work;(hot|warm|mild)$chains_interrupt"
	chains_right "$1: a thread" "$TMP/chains" '^spin;([^m]|m[^a])*;work;' \
		"spin;${chains_thread}work;(hot|warm|mild)$chains_interrupt"

	# Built by others, perhaps without frame pointers: what the kernel did for it is known nevertheless.
	chains_record "$TMP/chains" "$1" --duration 2 -- dd if=/dev/zero of=/dev/null bs=64k
	chains_right "$1: dd in the kernel" "$TMP/chains" '^dd;.*(entry_SYSCALL|el0t_64_sync)' \
		"dd;([^;]+;)*$chains_syscall(;($chains_calls))*(;[^;]+)*"
	chains_right "$1: dd reads" "$TMP/chains" '^dd;.*;vfs_read' \
		"dd;([^;]+;)*$chains_syscall;(($chains_calls);)*ksys_read;vfs_read(;[^;]+)*"
}
