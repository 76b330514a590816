# SPDX-License-Identifier: GPL-2.0-only
# Checks of wake-ups (the event wakeup) of the workload `wakers`. For tests that sourced live.sh, on the running kernel
# or in a guest.

# wakes CONDITION: prints the number of wake-ups in the rows of the filter `wakers` in $TMP/rows that meet the
# condition of awk
wakes() {
	awk -F '\t' "$1 { sum += \$1 } END { print sum + 0 }" "$TMP/rows"
}

# wakeups_have_stacks: each kind of waker has woken its thread in 20 rounds, from the function that does so
wakeups_have_stacks() {
	"$TPROF" run wakers --json -- "$WORKLOAD/wakers" >"$TMP/json" 2>"$TMP/stderr"
	is 'wakers: exit code' $? 0
	ledger_closes 'wakers' "$TMP/json"
	rows_add_up 'wakers' "$TMP/json"
	nothing_lost wakers "$TMP/json"
	jq -r '.tables[].rows[] | .samples as $samples | .members | map({(.name): .text}) | add |
		[$samples, .comm, .woken, .kernel, .user] | @tsv' "$TMP/json" >"$TMP/rows"
	# A thread that has not begun to wait when it is woken is missing: in an emulated machine, up to half of them.
	# There $wakeups_least is the number of those that must be there.
	for kind in futex pipe socket passed busy; do
		has="\$2 == \"by_$kind\" && \$3 == \"on_$kind\""
		count=$(wakes "$has && \$5 ~ /wakes_$kind/")
		check "wakers: by_$kind wakes on_$kind in wakes_$kind: $count times" \
			awk -v count="$count" -v least="${wakeups_least:-16}" \
			'BEGIN { exit !(count >= least && count <= 21) }'
	done
	count=$(wakes '$3 == "on_timer" && $2 ~ /irq[]]$/ && $4 ~ /^[a-z_]*wake[a-z_]*$/ && $5 == "[no stack]"')
	check "wakers: an interrupt wakes on_timer: $count times" \
		awk -v count="$count" -v least="${wakeups_least:-16}" 'BEGIN { exit !(count >= least && count <= 21) }'
	is 'wakers: no frame of the program' "$(grep -cE 'bpf_prog|bpf_trace|traceiter|try_to_wake' "$TMP/rows")" 0
}

# wakeups_end_waits FILTER: for each thread, the wake-ups are the ends of its waits: as many, with the same wakers,
# states, system calls, and times in which it was blocked. FILTER: the object wake_members
wakeups_end_waits() {
	"$TPROF" run "$1" --json -e off-cpu,wakeup -- "$WORKLOAD/hands" 5000 >"$TMP/json" 2>"$TMP/stderr"
	is 'both events: exit code' $? 0
	ledger_closes 'both events' "$TMP/json"
	nothing_lost 'both events' "$TMP/json"
	jq -r '.tables[].rows[] | .samples as $samples | .weight as $weight |
		.members | map({(.name): .text}) | add |
		[.event, $samples, $weight, .is_right, .comm, .waker, .state, .syscall, .waker_flags, .tid] | @tsv' \
		"$TMP/json" >"$TMP/rows"
	# A process that waits for its file in execve has no program.
	is 'both events: the members' "$(awk -F '\t' '$4 != 1 && $8 != "execve"' "$TMP/rows")" ''
	# The last wait of a thread may not be over at the end. Where a kernel runs no programs when certain threads
	# come or go (docs/design.md, Waits), two waits become one. $wakeups_apart: one wait in so many may have no
	# wake-up.
	awk -F '\t' -v unsure="${wakeups_apart:-100}" '{
		key = $5 FS $6 FS $7 FS $8 FS $9 FS $10
		sign = $1 ~ /wakeup/ ? 1 : -1
		all += sign > 0 ? $2 : 0
		samples[key] += sign * $2
		weight[key] += sign * $3
		count[key] += sign > 0 ? $2 : 0
	}
	END {
		for (key in samples)
			if (samples[key] > 1 + count[key] / unsure || samples[key] < -1 - count[key] / unsure ||
			    (!samples[key] && weight[key] > 1e6))
				print samples[key], count[key], weight[key], key
		if (all < 5000)
			print "few: " all
	}' "$TMP/rows" >"$TMP/differences"
	is 'both events: the same ends of waits' "$(cat "$TMP/differences")" ''
}

# wakeups_by_command: wake-ups by top and record, as they come and in a raw recording, and those after a minimum
wakeups_by_command() {
	# All threads, by the filters of the command
	"$TPROF" top --json -e wakeup --duration 1 >"$TMP/json" 2>"$TMP/stderr"
	is 'top: exit code' $? 0
	closes 'top' "$TMP/json" 0
	is 'top: the unit' "$(jq -r '"\(.event) \(.unit)"' "$TMP/json")" 'wakeup ns'
	like 'top: the function that wakes' "$(jq -r '.functions[].symbol' "$TMP/json")" \
		'hrtimer_wakeup|swake_up|autoremove_wake'
	"$TPROF" record -e wakeup -o "$TMP/profile" -- "$WORKLOAD/wakers" 2>"$TMP/stderr"
	is 'record: exit code' $? 0
	"$TPROF" export -i "$TMP/profile" -f json >"$TMP/json"
	ledger_closes 'record' "$TMP/json"
	rows_add_up 'record' "$TMP/json"
	is 'record: the functions that wake' "$(jq -r '.functions[] | select(.weight > 1e8).symbol' "$TMP/json" |
		grep -cE 'wake|timer|futex|exit')" "$(jq '[.functions[] | select(.weight > 1e8)] | length' "$TMP/json")"
	"$TPROF" export -i "$TMP/profile" -f folded -o "$TMP/folded"
	like 'record: from which functions' "$(cat "$TMP/folded")" ';wakes_pipe;.*;vfs_write;.*_wake_function '

	"$TPROF" record -e wakeup --raw -o "$TMP/raw.traw" -- "$WORKLOAD/wakers" 2>"$TMP/stderr"
	"$TPROF" export -i "$TMP/raw.traw" -f json >"$TMP/json"
	ledger_closes 'record --raw' "$TMP/json"
	rows_add_up 'record --raw' "$TMP/json"

	# Short waits are left out.
	"$TPROF" run wakers -e wakeup --min 5ms --json -- "$WORKLOAD/hands" 2000 >"$TMP/json" 2>"$TMP/stderr"
	ledger_closes 'a minimum' "$TMP/json"
	check 'a minimum: shorter ones are only counted' jq -e '.ledger.below_min > 1000 and .ledger.done < 500' \
		"$TMP/json"
}
