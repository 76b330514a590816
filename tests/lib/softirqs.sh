# SPDX-License-Identifier: GPL-2.0-only
# A CPU that does nothing but handle packets, in soft interrupts that come upon its idle task, or with a kernel for real
# time in a thread for packets: for tests that sourced live.sh, on the running kernel or in a guest.

# With a kernel that checks itself perf's interrupts, which are no idle time either, would take much of it; and packets
# take so long there that most of them were left to ksoftirqd.
softirqs_rate='-F 997' softirqs_pause=700
[ ! -e /proc/lockdep_stats ] || softirqs_rate='-F 199' softirqs_pause=5000

# With these functions the kernel's account lets idle time go on in interrupts, where it does not tell these apart.
softirqs_idle_goes_on() {
	grep -q ' kcpustat_irq_enter$' /proc/kallsyms
}

case $(uname -v) in
*PREEMPT_RT*) softirqs_comm=backlog_napi/1 ;;
*) softirqs_comm=swapper ;;
esac

# idle_and_time CPU: seconds that it was idle, without the interrupts of that time, and that the machine is up
idle_and_time() {
	awk -v cpu="cpu$1" -v hz="$(getconf CLK_TCK 2>/dev/null || echo 100)" '
		$1 == cpu { idle = ($5 + $6) / hz }
		FILENAME == "/proc/uptime" { print idle, $1 }' /proc/stat /proc/uptime
}

has_intervals() {
	[ "$(wc -l <"$TMP/intervals")" -ge "$1" ]
}

# softirqs_busy: how much of its time the CPU was busy, in %, by the intervals of tprof from the fourth on
softirqs_busy() {
	jq -s '.[3:8] | map(.ledger.weight) | 100 -
		100 * (map(.idle + .lost.idle_missed) | add) / (map(.fired) | add)' "$TMP/intervals"
}

# softirqs ENGINE: they are work, and as much of it as the kernel's own account says
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
	# The first handler after each HLT is a third of it. And a timer that is due while interrupts are off, as they
	# are on the way out of idle and in hard interrupts, finds the handler that comes then.
	softirqs_ratio=$(awk "BEGIN { print 100 * $softirqs_got / $softirqs_wanted }")
	if softirqs_idle_goes_on; then
		check "$1: busy, no less than by the kernel's account" awk "BEGIN { exit !($softirqs_ratio > 75) }"
	elif [ "$softirqs_comm" = backlog_napi/1 ]; then
		# The thread has done its work in 0.1 ms, and an emulated timer often is later than that: perf's then
		# finds the idle task, that of the module fires in work to come.
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
	# A late timer makes up for what it missed; perf's skips it, and the ledger says so.
	[ "$1" = perf ] || is "$1: nothing is lost" "$(jq '[.ledger.lost[]] | add' "$TMP/json")" 0
	# shellcheck disable=SC2086 # an option and its value
	check "$1: with its callers" "$TPROF" record --engine "$1" -e cpu-clock -C 1 $softirqs_rate --duration 2 \
		--format folded -o "$TMP/folded"
	like "$1: $softirqs_comm handles packets" "$(grep "^$softirqs_comm;" "$TMP/folded")" \
		';(net_rx_action|process_backlog)[; ]'
	end "$pid"
}
