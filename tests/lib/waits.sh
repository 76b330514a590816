# SPDX-License-Identifier: GPL-2.0-only
# Checks of waits (the event off-cpu) of the workload `waits`. For tests that sourced live.sh, on the running kernel or
# in a guest (sh and grep of busybox).

# waited NAME: prints the time that threads of this name waited, by the filter comm
waited() {
	jq -r --arg name "$1" '[.tables[].rows[] | select(.key == $name).weight] | add // 0' "$TMP/json"
}

# is_near NAME TOLD WAITED [MORE]: the time that is told is within 2 % and 2 ms of what was waited, or MORE times more.
# In an emulated machine, interrupts take long, and the clock of a thread leaves them out, so more time seems to be
# waited. There $waits_least is the time that each function waits at least, in ns.
is_near() {
	check "$1: $2 ns, and it waited $3 ns" awk -v told="$2" -v waited="$3" -v more="${4:-1}" \
		-v least="${waits_least:-0}" 'BEGIN {
			exit !((told >= 0.98 * waited - 2e6 || (least && told >= least)) &&
			       told <= (more + 0.02) * waited + (least ? 2e7 : 2e6))
		}'
}

# waits_are_true: the time of each function of the workload is what the program measures
waits_are_true() {
	# shellcheck disable=SC2016 # of the shell there
	"$TPROF" run comm --off-cpu --json -- sh -c 'exec "$0" >"$1"' "$WORKLOAD/waits" "$TMP/waited" >"$TMP/json" \
		2>"$TMP/stderr"
	is 'waits: exit code' $? 0
	ledger_closes 'waits' "$TMP/json"
	is 'waits: nothing is lost' "$(jq '[.ledger.lost[]] | add' "$TMP/json")" 0
	is 'waits: all functions' "$(wc -l <"$TMP/waited" | tr -d ' ')" 7
	while read -r name time; do
		case $name in
		# Children and threads have the name of their parent for a moment, in which they may have to wait.
		locks | preempted | vforks) is_near "$name" "$(waited "$name")" "$time" 2 ;;
		*) is_near "$name" "$(waited "$name")" "$time" ;;
		esac
	done <"$TMP/waited"
}

# waits_have_stacks: each function of the workload waits in the function of the kernel for its reason
waits_have_stacks() {
	"$TPROF" record --off-cpu --format folded -o "$TMP/waits" -- "$WORKLOAD/waits" >"$TMP/waited" 2>"$TMP/stderr"
	is 'call stacks: exit code' $? 0
	while read -r name pattern; do
		like "$name: where it waits" "$(grep ";$name;" "$TMP/waits" | sort -n -k 2 | sed 's/.*;main;/;/')" \
			";$name;(.*;)?($pattern);(.*;)?schedule;__schedule [0-9]+"
	done <<-END
		sleeps do_nanosleep
		reads_pipe (anon_)?pipe_read
		reads_socket unix_stream_(recvmsg|read_generic)
		locks futex_(do_)?wait(_queue)?
		preempted (irqentry_|syscall_)?exit_to_user_mode[a-z_]*|do_notify_resume
		stopped do_signal_stop
		vforks (kernel_clone|wait_for_completion[a-z_]*|wait_for_vfork_done)
	END
}

# waits_add_up: the ledger closes on a busy machine, and the rows have what it says was counted
waits_add_up() {
	"$TPROF" top --json --off-cpu --duration 1 >"$TMP/json" 2>"$TMP/stderr"
	is 'all threads: exit code' $? 0
	ledger_closes 'all threads' "$TMP/json"
	rows_add_up 'all threads' "$TMP/json"
	is 'all threads: the unit' "$(jq -r '"\(.event) \(.unit)"' "$TMP/json")" 'off-cpu ns'
}
