# SPDX-License-Identifier: GPL-2.0-only
# Checks the profile of a CPU that only handles packets: in soft interrupts on top of its idle task, or on a real-time
# kernel in a thread. For tests that sourced live.sh, on the running kernel or in a guest.

# On kernels with lockdep the sampling interrupts, which are busy time too, would take much of the CPU; and packets take
# so long that ksoftirqd would handle most of them.
softirqs_rate='-F 997' softirqs_pause=700
[ ! -e /proc/lockdep_stats ] || softirqs_rate='-F 199' softirqs_pause=5000

# Kernels with this function count interrupts of an idle CPU as idle time if they do not measure interrupts separately.
softirqs_idle_goes_on() {
	grep -q ' kcpustat_irq_enter$' /proc/kallsyms
}

case $(uname -v) in
*PREEMPT_RT*) softirqs_comm=backlog_napi/1 ;;
*) softirqs_comm=swapper ;;
esac

# idle_and_time CPU: prints the idle time of the CPU, without interrupts, and the uptime, both in seconds
idle_and_time() {
	awk -v cpu="cpu$1" -v hz="$(getconf CLK_TCK 2>/dev/null || echo 100)" '
		$1 == cpu { idle = ($5 + $6) / hz }
		FILENAME == "/proc/uptime" { print idle, $1 }' /proc/stat /proc/uptime
}

has_intervals() {
	[ "$(wc -l <"$TMP/intervals")" -ge "$1" ]
}

# softirqs_busy: prints the busy time of the CPU in %, according to the intervals of tprof from the fourth on
softirqs_busy() {
	jq -s '.[3:8] | map(.ledger.weight) | 100 -
		100 * (map(.idle + .lost.idle_missed) | add) / (map(.fired) | add)' "$TMP/intervals"
}

# softirqs ENGINE: packets count as busy time, as much as in the CPU time accounting of the kernel, with their functions
softirqs() {
	background "$WORKLOAD/packets" 0 1 $softirqs_pause
	# shellcheck disable=SC2086 # an option and its value
	"$TPROF" run --engine "$1" -e cpu-clock -C 1 $softirqs_rate --json -d 1 --duration 8 cpu \
		>"$TMP/intervals" 2>"$TMP/stderr" &
	softirqs_tprof=$!
	await has_intervals 3
	softirqs_before=$(idle_and_time 1)
	await has_intervals 8
	softirqs_after=$(idle_and_time 1)
	check "$1: it runs" wait $softirqs_tprof
	softirqs_wanted=$(echo "$softirqs_before $softirqs_after" | awk '{ print 100 - 100 * ($3 - $1) / ($4 - $2) }')
	softirqs_got=$(softirqs_busy)
	diag "$1: $(sed -n 6p "$TMP/intervals" | jq -c '.ledger.weight')"
	diag "$1: busy by the kernel's account $softirqs_wanted %, by tprof $softirqs_got %"
	check "$1: the CPU has something to do" awk "BEGIN { exit !($softirqs_wanted > 5) }"
	# A third of the busy time is the first handler after each HLT. A timer that expires while interrupts are
	# disabled, at the exit from idle or in a hard interrupt, fires in the handler that runs next.
	softirqs_ratio=$(awk "BEGIN { print 100 * $softirqs_got / $softirqs_wanted }")
	if softirqs_idle_goes_on; then
		check "$1: busy, no less than by the kernel's account" awk "BEGIN { exit !($softirqs_ratio > 75) }"
	elif [ "$softirqs_comm" = backlog_napi/1 ]; then
		# The thread works for 0.1 ms, and an emulated timer is often later than that. Then the timer of perf
		# samples the idle task, and that of the module fires in the next work.
		case $1 in
		perf) within "$1: busy, % of the kernel's account" "$softirqs_ratio" 100 60 ;;
		*) within "$1: busy, % of the kernel's account" "$softirqs_ratio" 107 40 ;;
		esac
	else
		within "$1: busy, % of the kernel's account" "$softirqs_ratio" 112 37
	fi
	# shellcheck disable=SC2086 # an option and its value
	seconds=2 check "$1: what it does is named" profile "$TMP/json" --engine "$1" -e cpu-clock -C 1 $softirqs_rate
	is "$1: process 0 has no other name than swapper" \
		"$(jq -r '.functions[] | select(.pid == 0 and .comm != "swapper").comm' "$TMP/json")" ''
	closes "$1" "$TMP/json"
	# After a late timer the module counts the missed periods; perf skips them, and the ledger reports the loss.
	[ "$1" = perf ] || is "$1: nothing is lost" "$(jq '[.ledger.lost[]] | add' "$TMP/json")" 0
	# shellcheck disable=SC2086 # an option and its value
	check "$1: with its callers" "$TPROF" record --engine "$1" -e cpu-clock -C 1 $softirqs_rate --duration 2 \
		--format folded -o "$TMP/folded"
	like "$1: $softirqs_comm handles packets" "$(grep "^$softirqs_comm;" "$TMP/folded")" \
		';(net_rx_action|process_backlog)[; ]'
	end "$pid"
}
