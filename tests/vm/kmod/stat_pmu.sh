# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=arm64,arm64-icount seconds=120
# `tprof stat` with hardware counters: the default events, groups that are counted together or not at all, and more
# events than counters: they are scaled, and labelled with their share of the time.
. "${0%/*}/../lib/live.sh"

value() {
	jq -r --arg event "$2" '.rows[0].values[] | select(.event == $event).'"${3:-value}" "$1"
}

stat() {
	"$TPROF" stat -j -o "$TMP/json" "$@" 2>"$TMP/stderr" || {
		diag "tprof stat $*: $(cat "$TMP/stderr")"
		return 1
	}
}

background "$WORKLOAD/spin" --seconds 3600
check 'the default events' stat -p $pid --duration 2
is 'the default events: those of the CPU too' "$(jq -r '[.rows[0].values[].event] | join(" ")' "$TMP/json")" \
	'task-clock context-switches cpu-migrations page-faults cycles instructions branches branch-misses'
is 'cycles are counted' "$(value "$TMP/json" cycles state)" counted
like 'and the frequency follows' "$(value "$TMP/json" cycles ghz)" '^[0-9.]+$'
jq -c '.rows[0].values[] | [.event, .state, .value]' "$TMP/json" | sed 's/^/# /'

# A command, with perf in the same run.
perf stat -x, -o "$TMP/perf" -e r11 -p $pid -- sleep 3 >/dev/null 2>&1 &
perf=$!
check 'a process, beside perf' stat -e cycles -p $pid --duration 2
wait $perf
check 'perf counts too' grep -q r11 "$TMP/perf"

# The same event by several names: in a group, all count at the same time.
check 'a group' stat -e '{cycles,r11,r011}' -p $pid --duration 2
is 'a group: the same time' "$(jq '[.rows[0].values[].running_ns] | unique | length' "$TMP/json")" 1
within 'a group: the same value' "$(value "$TMP/json" r11)" "$(value "$TMP/json" cycles)" \
	"$(jq '.rows[0].values[0].value / 100' "$TMP/json")"

# Nine events in six counters, or as many as there are
nine=cycles,r11,r011,r0011,r00011,r000011,r0000011,r00000011,r000000011
check 'nine events' stat -e $nine -p $pid --duration 6
jq -c '.rows[0].values[] | [.event, .state, .value, .running_ns / .enabled_ns]' "$TMP/json" | sed 's/^/# /'
is 'nine events: all are counted' "$(jq '[.rows[0].values[] | select(.state == "counted")] | length' "$TMP/json")" 9
if [ "$(jq '[.rows[0].values[] | select(.running_ns < .enabled_ns)] | length' "$TMP/json")" -gt 0 ]; then
	# Under icount, the emulated clock is that of the instructions; otherwise it goes on while the host does not run
	# the machine, and the events that are counted then get too little.
	[ "${MACHINE:-}" != arm64-icount ] || is 'nine events: the scaled values agree' \
		"$(jq '[.rows[0].values[].value] | (max - min) / (add / length) < 0.02' "$TMP/json")" true
	is 'nine events: the raw values do not' \
		"$(jq '[.rows[0].values[].raw] | (max - min) / (add / length) > 0' "$TMP/json")" true
	"$TPROF" stat -e $nine -p $pid --duration 3 >"$TMP/text"
	like 'nine events: the share of the time' "$(cat "$TMP/text")" 'counted [0-9.]+ % of the time'
	refuses 'a group of nine' 2 'event r0+11: cannot be counted together with the [0-9] events before it: the PMU' \
		"$TPROF" stat -e "{$nine}" -p $pid --duration 1
	like 'a group of nine: the hint' "$(cat "$TMP/stderr")" '^hint: make the group smaller, or leave out the braces'

	# Two groups that do not fit at once take turns, each as a whole.
	five='{cycles,r11,r011,r0011,r00011}'
	others='{r000011,r0000011,r00000011,r000000011,r0000000011}'
	check 'two groups' stat -e "$five,$others" -p $pid --duration 4
	jq -c '.rows[0].values[] | [.event, .raw, .running_ns / .enabled_ns]' "$TMP/json" | sed 's/^/# /'
	is 'two groups: the events of each have the same time' "$(jq -c '[.rows[0].values | group_by(.group)[] |
		[.[].running_ns] | unique | length]' "$TMP/json")" '[1,1]'
	is 'two groups: and the same counts, to one percent' "$(jq -c '[.rows[0].values | group_by(.group)[] |
		[.[].raw] | (max - min) / max < 0.01]' "$TMP/json")" '[true,true]'
	# If both were counted all the time, the sum would be 2. They are read one after the other.
	check 'two groups: one at a time' jq -e '.rows[0].values | [.[0, 5] | .running_ns / .enabled_ns] |
		min > 0 and add < 1.05' "$TMP/json"
else
	diag 'this PMU counts nine events at once'
fi

# Ratios over runs and intervals
ratios() {
	jq -c '[.ratios[] | .ratio, (.value_low <= .value and .value <= .value_high), (.differs | type)]' "$TMP/json"
}
check 'ratios: repeats' stat -r 3 -e '{cycles,instructions},branches' -- "$WORKLOAD/spin" --seconds 1
jq -c .means,.ratios "$TMP/json" | sed 's/^/# /'
if [ "$(jq -r '.means[1].state' "$TMP/json")" = counted ]; then
	is 'ratios: repeats: with an interval' "$(ratios)" '["instructions_per_cycle",true,"null"]'
	check 'ratios: repeats: that of the means' jq -e '.means as $of |
		.ratios[0].value - $of[1].mean / $of[0].mean | fabs < 0.001' "$TMP/json"
	"$TPROF" stat -r 2 -e '{cycles,instructions}' -- "$WORKLOAD/spin" --seconds 1 2>"$TMP/stderr" >/dev/null
	like 'ratios: repeats: text' "$(cat "$TMP/stderr")" \
		'^ +[0-9.]+ +instructions per cycle +# 95 % interval [0-9.]+ to '
	check 'ratios: a comparison' stat -r 2 -e '{cycles:u,instructions:u}' \
		--against "$WORKLOAD/spin --seconds 1" -- "$WORKLOAD/spin" --seconds 1
	is 'ratios: a comparison: with an interval' "$(ratios)" '["instructions_per_cycle",true,"boolean"]'
	check 'ratios: intervals' stat -I 200 -e '{cycles,instructions}' -p $pid --duration 2
	is 'ratios: intervals: the first has none' \
		"$(jq -sc '.[0].ratios[0] | [.value_low, .value_high]' "$TMP/json")" '[null,null]'
	check 'ratios: intervals: the last has that of the sums' jq -se '
		((map(.rows[0].values[1].value) | add) / (map(.rows[0].values[0].value) | add)) as $ipc |
		.[-1].ratios[0] | (.value - $ipc | fabs < 0.001) and .value_low <= .value and .value <= .value_high' \
		"$TMP/json"
	"$TPROF" stat -I 200 -e '{cycles,instructions}' -p $pid --duration 1 >"$TMP/text"
	like 'ratios: intervals: text' "$(tail -n 4 "$TMP/text" | paste -sd ' ')" \
		'# all [0-9]+ intervals +[0-9.]+ +instructions per cycle +# 95 % interval [0-9.]+ to [0-9.]+'
else
	is 'ratios: without instructions there is none' "$(jq -c '[.ratios[] | .value]' "$TMP/json")" '[null]'
fi

# Bound to CPUs: an event that waits while the process runs elsewhere is not multiplexed.
move() {
	while taskset -p -c 0 "$1" && sleep 0.2 && taskset -p -c "$2" "$1" && sleep 0.2; do :; done >/dev/null 2>&1
}
last=$(grep -c '^processor' /proc/cpuinfo)
move "$pid" $((last - 1)) &
at_exit "kill $! 2>/dev/null"
for options in --per-cpu '-C 0'; do
	# shellcheck disable=SC2086 # words
	check "a process, $options" stat $options -e cycles,task-clock -p $pid --duration 2
	jq -c '.rows[].values[] | [.event, .raw, .running_ns, .enabled_ns]' "$TMP/json" | sed 's/^/# /'
	is "a process, $options: nothing is scaled" \
		"$(jq 'all(.rows[].values[]; .running_ns == .enabled_ns and .raw == (.value // 0))' "$TMP/json")" true
done
kill $!

# By process, from one counter on each CPU
check '--per-process' stat --per-process -e 'cycles,task-clock' -p $pid --duration 2
is '--per-process: cycles of this process' "$(jq -r '.rows[0] | "\(.name) \(.values[0].state)"' "$TMP/json")" \
	'spin counted'
within '--per-process: as many as its own counter counts' "$(value "$TMP/json" cycles ghz)" \
	"$(stat -e cycles,task-clock -p $pid --duration 2; value "$TMP/json" cycles ghz)" 0.3
is 'an event that this PMU does not have' "$(stat -e r3ff,LLC-store-misses -p $pid --duration 0.5
	value "$TMP/json" LLC-store-misses state)" 'not supported'
done_testing
