# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=x86-64,arm64,next all=arm64 seconds=120
# What threads do all the time, by the module: running, ready to run and blocked time are the time that passed, also at
# the rate of a pipe; runs have the time of the kernel's scheduler, and the call stacks with which threads leave.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/waits.sh"

# A thread that does not leave its CPU
background "$WORKLOAD/spin" --seconds 600
"$TPROF" run comm -e on-cpu --json --duration 1 -p "$pid" >"$TMP/json" 2>"$TMP/stderr"
ledger_closes 'a thread that does not leave' "$TMP/json"
check 'a thread that does not leave: its time' jq -e '(.duration_s * 1e9) as $passed | [.tables[].rows[] |
	select(.key == "spin").weight] | add | . > 0.3 * $passed and . < 1.005 * $passed' "$TMP/json"
end "$pid"

# Where samples take too much of the time of a CPU, short waits and runs are added up, each on their own.
echo 0 >/sys/module/tprof/parameters/cpu_time_max_percent
threads_seconds=5 threads_alike=0.98
threads_add_up
is 'the engine' "$(jq -r .engine "$TMP/json")" kmod

"$TPROF" run threads -e on-cpu,off-cpu --json -- "$WORKLOAD/hands" 3000 >"$TMP/json" 2>"$TMP/stderr"
is 'hands: exit code' $? 0
ledger_closes 'hands' "$TMP/json"
is 'hands: nothing is lost' "$(jq '[.ledger.lost[]] | add' "$TMP/json")" 0
# The first process exists all the time, the second one nearly so.
check 'hands: the time of both' jq -e '(.duration_s * 1e9) as $passed | [.tables[].rows[] |
	select(.key | test("left|right"))] | group_by(.members[] | select(.name == "thread") | .number) |
	map(map(.weight) | add) | length == 2 and all(.[]; . > 0.9 * $passed and . < 1.005 * $passed)' "$TMP/json"

# The shell reads its own times before and after its work.
cat >"$TMP/work.sh" <<'END'
read -r ran rest </proc/self/schedstat
i=0
while [ $i -lt 100000 ]; do i=$((i + 1)); done
read -r ran_now rest </proc/self/schedstat
echo "$((ran_now - ran))" >"$1"
exec sleep 0.1
END
"$TPROF" run comm -e on-cpu --json -- sh "$TMP/work.sh" "$TMP/ran" >"$TMP/json" 2>"$TMP/stderr"
is 'a command: exit code' $? 0
ledger_closes 'a command' "$TMP/json"
is 'a command: the engine' "$(jq -r .engine "$TMP/json")" kmod
check "a command: it ran for $(cat "$TMP/ran") ns at least" jq -e --argjson ran "$(cat "$TMP/ran")" \
	'(.duration_s * 1e9) as $passed | [.tables[].rows[].weight] |
	add | . >= 0.995 * $ran and . < 1.005 * $passed' \
	"$TMP/json"

# A run has the stack with which its thread leaves the CPU, also its user part.
"$TPROF" record -e on-cpu --format folded -o "$TMP/folded" -- "$WORKLOAD/hands" 1000 2>"$TMP/stderr"
is 'call stacks: exit code' $? 0
like 'call stacks: where it leaves' "$(cat "$TMP/folded")" \
	'^(left|hands);(.*;)?main;.*(anon_)?pipe_read;schedule;__schedule(;.*)? [0-9]+$'

done_testing
