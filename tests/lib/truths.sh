# SPDX-License-Identifier: GPL-2.0-only
# Runs each workload with a known answer under all of $tools at the same time, and compares their results with the
# truth. For tests that sourced live.sh and peers.sh, on the running kernel or in a guest. Each measurement takes
# $seconds; $forks has the options of `spin` that set the number and the length of the short-lived processes.

printf 'hot 50\nwarm 30\nmild 20\n' >"$TMP/spin.truth"
printf 'often 75\nseldom 25\n' >"$TMP/callers.truth"

# worked PID...: prints the sum of the CPU times of the processes, ns; writes lines "PID NS" to $TMP/processes.truth
worked() {
	for process; do
		echo "$process $(cut -d ' ' -f 1 "/proc/$process/schedstat")"
	done >"$TMP/processes.truth"
	awk '{ n += $2 } END { printf "%.0f\n", n }' "$TMP/processes.truth"
}

# The processes are stopped, not killed, before the tools end: bpftrace can only symbolize processes that still exist.
steady() {
	peers_name spin
	background "$name" --seconds 600
	spin=$pid
	peers_name callers
	background "$name" 600
	callers=$pid calls=$comm
	peers_name short spin
	# shellcheck disable=SC2086 # words
	"$WORKLOAD/took" "$TMP/short.took" "$name" --exec --seconds "$1" $forks
	kill -STOP "$spin" "$callers"
	peers_end "$last" || return
	peers_row 'functions' functions "$TMP/spin.truth" "$spin" "$(worked "$spin")"
	peers_row 'callers' callers "$TMP/callers.truth" "$calls" "$(worked "$callers")"
	all=$(worked "$spin" "$callers")
	peers_row 'processes' processes "$TMP/processes.truth" "$spin $callers" "$all"
	peers_row 'short-lived processes' functions "$TMP/spin.truth" "$comm" "$(cat "$TMP/short.took")"
}

# The kernel charges CPU time to a process from its wakeup on, although it runs later. Therefore these workloads measure
# the truth themselves, and only user mode is compared.
bursts() {
	peers_name bursts
	"$name" "$1" >"$TMP/bursts.truth" &
	bursts=$!
	at_exit "kill $bursts 2>/dev/null"
	"$name" "$1" 4000 6000 >"$TMP/long_bursts.truth" &
	long_bursts=$!
	at_exit "kill $long_bursts 2>/dev/null"
	sleep "$1"
	await test -s "$TMP/bursts.truth"
	await test -s "$TMP/long_bursts.truth"
	peers_end "$last" || return
	peers_row 'bursts' functions "$TMP/bursts.truth" "$bursts" "$(worked "$bursts")"
	all=$(worked "$bursts" "$long_bursts")
	for sleeper in bursts long_bursts; do
		eval "echo \$$sleeper"
		cut -d ' ' -f 2 "$TMP/$sleeper.truth"
	done | xargs -n 3 | awk '{ print $1, $2 + $3 }' >"$TMP/sleepers.truth"
	peers_row 'sleeping processes' user "$TMP/sleepers.truth" "$bursts $long_bursts" "$all"
}

in_step() {
	peers_name in_step
	"$name" "$PEERS_HZ" "$1" >"$TMP/in_step.truth" &
	in_step=$!
	at_exit "kill $in_step 2>/dev/null"
	sleep "$1"
	await test -s "$TMP/in_step.truth"
	peers_end "$last" || return
	peers_row 'in step with the sampler' functions "$TMP/in_step.truth" "$in_step" "$(worked "$in_step")"
}

# Ends the processes that the measurement has started.
over() {
	for process in ${spin-} ${callers-} ${bursts-} ${long_bursts-} ${in_step-}; do
		kill -9 "$process" 2>/dev/null
		wait "$process" 2>/dev/null
	done
	spin= callers= bursts= long_bursts= in_step=
}

# measure WORKLOADS QUESTION...: runs the measurement up to three times: again for twice as long if there were too few
# samples because other processes used the CPU, and again if a tool failed, as perf 6.1 sometimes does. The third
# attempt continues without failed tools.
measure() {
	workloads=$1
	shift
	long=$seconds last=
	for try in 1 2 3; do
		[ $try -lt 3 ] || last=without
		for question; do
			peers_forget "$question"
		done
		# shellcheck disable=SC2086 # words
		peers_begin $tools && $workloads "$long"
		done=$?
		over
		for question; do
			[ $done -ne 0 ] || ! peers_few "$question" || done=2
		done
		[ $done -ne 0 ] || break
		[ $done -ne 2 ] || long=$((2 * long))
		diag "$workloads: again, try $try, for $long s"
	done
	[ $done -ne 1 ] || not_ok "$workloads: measured"
	for tool in $tools; do
		case $tool in
		tprof_*) peers_closes "$workloads: $tool" "$tool" ;;
		esac
	done
}

measure steady functions callers processes 'short-lived processes'
measure bursts bursts 'sleeping processes'
measure in_step 'in step with the sampler'
peers_table
peers_judge
