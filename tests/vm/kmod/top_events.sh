# SPDX-License-Identifier: GPL-2.0-only
# vm: all=x86-64,arm64 seconds=120
# Events of perf on the module have the same counts as perf, with any period.
. "${0%/*}/../lib/live.sh"

# The command touches 16,000 new pages; its loader causes a few more page faults.
command="$WORKLOAD/faults 16000"

# faults PERIOD: samples the command; writes its intervals to $TMP/lines, and their sum to $TMP/json
faults() {
	"$TPROF" top --json -e page-faults -c "$1" -- $command >"$TMP/lines" 2>"$TMP/stderr" || return 1
	jq -s '{ engine: .[0].engine, event: .[0].event, fired: map(.ledger.weight.fired) | add,
		in_scope: map(.ledger.weight.done) | add, samples: map(.ledger.done) | add,
		missed: map(.ledger.lost.engine_missed) | add,
		counter: map(.ledger.counter) | add }' "$TMP/lines" >"$TMP/json"
}

stat=$(perf stat -x, -e page-faults -- $command 2>&1 >/dev/null | awk -F, '/page-faults/ { print $1 }')
diag "perf stat: $stat faults"
for period in 1 100; do
	if faults $period; then
		is "page-faults, every $period: on the module" \
			"$(jq -r '"\(.engine) \(.event)"' "$TMP/json")" 'kmod page-faults'
		ledger_closes "page-faults, every $period" "$TMP/lines"
		is "page-faults, every $period: none is missed" "$(jq .missed "$TMP/json")" 0
		# On each CPU a period may be incomplete at the start and at the end, and at changes of its process.
		within "page-faults, every $period: as many as perf stat counts" "$(jq .in_scope "$TMP/json")" "$stat" \
			$((stat / 50 + 4 * period))
		is "page-faults, every $period: each sample stands for a period" \
			"$(jq ".in_scope == .samples * $period" "$TMP/json")" true
		within "page-faults, every $period: the counter says the same" "$(jq ".fired / $period" "$TMP/json")" \
			"$(jq .counter "$TMP/json")" 4
	else
		not_ok "page-faults, every $period" "$(cat "$TMP/stderr")"
	fi
done

background "$WORKLOAD/spin" --seconds 3600
seconds=3
if profile "$TMP/json" -e context-switches -F 99; then
	closes 'context-switches' "$TMP/json" .idle
	is 'context-switches: in their unit' "$(jq -r '"\(.event) \(.unit)"' "$TMP/json")" 'context-switches events'
else
	not_ok 'context-switches'
fi
seconds=6
user=".pid == $pid and .mode == \"user\""
if profile_enough "$TMP/json" "$user" -e task-clock -F 1997 -p $pid; then
	# The share of interrupts is higher in an emulated machine, so only user mode counts.
	truth 'task-clock' "$TMP/json" "$user" 0
else
	not_ok 'task-clock'
fi
refuses 'no such counter' 4 'cannot sample it' "$TPROF" top --batch --duration 1 -e branch-misses
done_testing
