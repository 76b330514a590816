# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=x86-64,arm64,next all=x86-64,arm64 seconds=150
# Call stacks by the kfuncs of the module: user stacks, kernel stacks, and whole call stacks.
. "${0%/*}/../lib/live.sh"

background "$WORKLOAD/spin" --seconds 3600
background "$WORKLOAD/syscalls" 3600

case $(uname -m) in
x86_64) entry='entry_SYSCALL_64_after_hwframe;do_syscall_64' ;;
aarch64) entry='el0t_64_sync;.*;el0_svc;do_el0_svc' ;;
*) bail "what does a system call enter by on $(uname -m)?" ;;
esac

# chains ENGINE: writes the call stacks of the workloads, with their shares of the samples, to $TMP/ENGINE
chains() {
	"$TPROF" run --engine "$1" --json --duration 2 -F 997 "${0%/*}/../filters/stacks.bpf.o" \
		>"$TMP/json" 2>"$TMP/stderr" ||
		not_ok "stacks on $1" "$(cat "$TMP/stderr")"
	ledger_closes "$1" "$TMP/json"
	jq -r '.tables[].rows[].key' "$TMP/json" | grep -w -e 'tgid=spin' -e "tgid=syscalls" >"$TMP/$1"
}

for engine in kmod perf; do
	chains $engine
	like "$engine: user call stacks, root first" "$(head -n 40 "$TMP/$engine")" \
		'user=.*main;work_in_threads;(work;)?hot kernel=\[no stack\] tgid=spin'
	like "$engine: kernel call stacks, root first" "$(head -n 40 "$TMP/$engine")" \
		"kernel=$entry;.*read.* tgid=syscalls"
	like "$engine: both of one sample" "$(head -n 40 "$TMP/$engine")" \
		"user=.*read.* kernel=$entry;.* tgid=syscalls"
done

# The most frequent call stacks are equal on both engines, frame by frame.
frequent() {
	grep 'kernel=\[no stack\] tgid=spin' "$TMP/$1" | sed 's/ tgid.*//' | grep -e ';hot ' -e ';warm ' |
		head -n 2 | sort
}
is 'the same call stacks on both engines' "$(frequent kmod)" "$(frequent perf)"

# Without the fast ways, the module finds the same stacks; the counter of the walks that are fast does not rise.
kernel_stacks=/sys/kernel/debug/tprof/kernel_stacks
fast_count() {
	[ ! -e $kernel_stacks ] || awk -F '\t' '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /^(learned_frames|direct_walks)$/) at = i }
		NR == 2 { print $at }' $kernel_stacks
}
fast_ways='direct_calls kernel_stack_learned kernel_stack_direct'
switch_fast() {
	for way in $fast_ways; do
		[ ! -e "/sys/module/tprof/parameters/$way" ] || echo "$1" >"/sys/module/tprof/parameters/$way"
	done
}
count=$(fast_count)
[ ! -e $kernel_stacks ] || check 'the fast ways are used' test "$count" -gt 0
cp "$TMP/kmod" "$TMP/fast"
switch_fast N
chains kmod
is 'off: the fast ways are not used' "$(fast_count)" "$count"
is 'off: the same user stacks' "$(frequent kmod)" "$(frequent fast)"
like 'off: kernel call stacks, root first' "$(head -n 40 "$TMP/kmod")" "kernel=$entry;.*read.* tgid=syscalls"
switch_fast Y
chains kmod
[ ! -e $kernel_stacks ] || check 'on again: they are used' test "$(fast_count)" -gt "$count"

# The filter of `tprof top -g`
seconds=1 profile "$TMP/top" -g --engine kmod -F 499
closes 'top -g' "$TMP/top"

done_testing
