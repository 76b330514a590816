# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=next,debug,rt seconds=480
# Each walk by learned steps has the frames of the unwinder, in a hostile mix: every walk is walked both ways, of system
# calls, page faults, processes, soft and hard interrupts and code of modules, in timer interrupts and in NMIs, while
# modules come and go, and while kprobes, kretprobes and function tracers patch functions and replace return addresses.
. "${0%/*}/../lib/live.sh"
library=${0%/*}/../lib/kernel_stacks.sh
. "$library"

tracing=/sys/kernel/tracing
echo 1 >"$PARAMETERS/kernel_stack_check"
for module in tprof_nmi tprof_orc; do
	insmod "$TPROF_MODULES/$module.ko" || bail "$module does not load"
	at_exit "rmmod $module"
done

# work CHECKED DIRECTORY LIBRARY: the mix, at least once, until so many walks are checked
cat >"$TMP/work" <<'END'
. "$3"
while :; do
	dd if=/dev/zero of=/dev/null bs=4M count=1
	dd if=/dev/zero of="$2/file" bs=64k count=4
	find /proc/self /sys/kernel/mm
	cat /proc/self/maps
	echo 20 >/sys/module/tprof_orc/parameters/spin
	[ "$(stacks checked)" -le "$1" ] || break
done >/dev/null 2>&1
END

come_and_go() {
	while :; do
		insmod "$TPROF_MODULES/tprof_aux.ko"
		rmmod tprof_aux
		sleep 0.3
	done
}

# compares WHAT: samples the mix with the timer and with NMIs at the same time; all walks are equal
compares() {
	walks=$(stacks walks) checked=$(stacks checked) learned=$(stacks learned_frames)
	"$TPROF" record --engine kmod -e nmi -c 2000000 --kernel-only -o "$TMP/nmi" 2>"$TMP/stderr.nmi" \
		-- sh "$TMP/work" $((checked + 200)) "$TMP" "$library" &
	nmi=$!
	record_kernel "$TMP/timer" sh "$TMP/work" $((checked + 200)) "$TMP" "$library"
	check "$1: recorded with NMIs" wait $nmi
	"$TPROF" report --json -i "$TMP/nmi" >"$TMP/nmi.json"
	ledger_closes "$1: NMIs" "$TMP/nmi.json"
	walks=$(($(stacks walks) - walks)) checked=$(($(stacks checked) - checked))
	is "$1: no walk differs" "$(stacks state):$(stacks disagreed)" on:0
	# An NMI that interrupts a check is not checked.
	check "$1: the walks are checked" test $checked -ge $((walks * 9 / 10)) -a $checked -gt 200
	check "$1: learned steps are used" test $(($(stacks learned_frames) - learned)) -gt $checked
	diag "$1: $checked of $walks walks; all: $(sed 1d $KERNEL_STACKS)"
}

# trace NAME FILE: writes to a file of tracefs
trace() {
	printf '%s\n' "$1" >"$tracing/$2" 2>/dev/null || not_ok "tracefs: $2" "$1"
}

background "$WORKLOAD/packets" 0 1
compares 'the mix'

come_and_go >/dev/null 2>&1 &
at_exit "kill $! 2>/dev/null; await rmmod tprof_aux 2>/dev/null || :"
modules=$!
compares 'modules come and go'
kill $modules
wait $modules 2>/dev/null

for function in vfs_read vfs_write handle_mm_fault ksys_read; do
	echo "p:p_$function $function"
	echo "r:r_$function $function"
done >"$TMP/probes"
cat "$TMP/probes" >"$tracing/kprobe_events" || not_ok 'kprobes' "$(cat "$TMP/probes")"
at_exit "echo >$tracing/kprobe_events"
at_exit "[ ! -e $tracing/events/kprobes ] || echo 0 >$tracing/events/kprobes/enable"
trace 1 events/kprobes/enable
compares 'kprobes and kretprobes'
check 'the kretprobes have fired' test "$(awk '$1 ~ /^r_/ { hits += $2 } END { print hits + 0 }' \
	"$tracing/kprobe_profile")" -gt 100
trace 0 events/kprobes/enable
echo >"$tracing/kprobe_events"

if grep -qw function_graph "$tracing/available_tracers"; then
	mkdir "$tracing/instances/steps"
	at_exit "rmdir $tracing/instances/steps"
	at_exit "echo nop >$tracing/instances/steps/current_tracer; echo nop >$tracing/current_tracer"
	for pattern in 'vfs_*' 'ksys_*' '*fault*' 'do_sys_*' '__alloc_pages*'; do
		echo "$pattern" >>"$tracing/set_ftrace_filter" 2>/dev/null
		echo "$pattern" >>"$tracing/instances/steps/set_ftrace_filter" 2>/dev/null
	done
	trace function instances/steps/current_tracer
	trace function_graph current_tracer
	compares 'function tracers'
	check 'functions were traced' grep -qE '(vfs_[a-z]+|handle_mm_fault)\(\)' "$tracing/trace"
fi
done_testing
