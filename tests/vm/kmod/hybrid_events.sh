# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=x86-64,next not=debug,race seconds=120
# A hybrid machine: an event stands for those of all PMUs, each on its CPUs, for counting and sampling, on both engines.
. "${0%/*}/../lib/live.sh"

insmod "$TPROF_MODULES/tprof_hybrid.ko" || bail 'the PMUs are not there'
at_exit 'rmmod tprof_hybrid'
shared=/sys/module/tprof_hybrid/parameters/shared

stat() {
	"$TPROF" stat -j -o "$TMP/json" "$@" 2>"$TMP/stderr" || {
		diag "tprof stat $*: $(cat "$TMP/stderr")"
		return 1
	}
}

events() {
	jq -r '[.rows[0].values[].event] | join(" ")' "$TMP/json"
}

# Counting: the counters of the machine count the time.
check 'stat, the machine' stat -a -e cycles,instructions:u --duration 1
is 'stat, the machine: an event of each PMU' "$(events)" \
	'cpu_core/cycles/ cpu_atom/cycles/ cpu_core/instructions/u cpu_atom/instructions/u'
jq -c '.rows[0].values[] | [.event, .unit, .raw, .running_ns, .enabled_ns]' "$TMP/json" | sed 's/^/# /'
is 'stat, the machine: each on one CPU, all the time' "$(jq -c '[.rows[0].values[:2][] | .state,
	.running_ns == .enabled_ns, (.raw / .running_ns | . > 0.9 and . < 1.1)] | unique' "$TMP/json")" \
	'[true,"counted"]'
check 'stat, one CPU' stat -C 1 -e cycles,r12,LLC-loads,cpu_atom/loops/ --duration 0.2
is 'stat, one CPU: of its PMU only' "$(events)" \
	'cpu_atom/cycles/ cpu_atom/r12/ cpu_atom/LLC-loads/ cpu_atom/loops/'
is 'stat, one CPU: all are counted' "$(jq -c '[.rows[0].values[].state] | unique' "$TMP/json")" '["counted"]'
check 'stat, groups' stat -a -e '{cycles,instructions}' --duration 0.2
is 'stat, groups: one of each PMU' "$(jq -c '[.rows[0].values[] | [.event, .group]]' "$TMP/json")" \
	"$(printf '%s' '[["cpu_core/cycles/","cpu_core/cycles/"],["cpu_core/instructions/","cpu_core/cycles/"],' \
		'["cpu_atom/cycles/","cpu_atom/cycles/"],["cpu_atom/instructions/","cpu_atom/cycles/"]]')"
refuses 'a group across PMUs' 2 'event cpu_atom/cycles/: cannot be in a group with cpu_core/cycles/: they are of ' \
	"$TPROF" stat -a -e '{cpu_core/cycles/,cpu_atom/cycles/}' --duration 1
like 'a group across PMUs: the hint' "$(cat "$TMP/stderr")" '^hint: make a group for each PMU, or leave out the braces'
refuses 'a group with an event of the kernel' 2 'event page-faults: is in a group with an event that each type of CPU' \
	"$TPROF" stat -a -e '{cycles,page-faults}' --duration 1

# A process that runs on both: neither of the events is scaled.
background "$WORKLOAD/spin" --seconds 3600
spin=$pid
move() {
	while taskset -p -c 0 "$1" && sleep 0.2 && taskset -p -c 1 "$1" && sleep 0.2; do :; done >/dev/null 2>&1
}
move "$spin" &
at_exit "kill $! 2>/dev/null"
check 'stat, a process' stat -e cycles,task-clock -p "$spin" --duration 3
jq -c '.rows[0].values[] | [.event, .raw, .value, .running_ns, .enabled_ns]' "$TMP/json" | sed 's/^/# /'
is 'stat, a process: on both PMUs' "$(jq -c '[.rows[0].values[:2][] | .state, .running_ns == .enabled_ns,
	.raw == .value] | unique' "$TMP/json")" '[true,"counted"]'
is 'stat, a process: both add up to its time' "$(jq '.rows[0].values | (.[0].raw + .[1].raw) / .[2].raw |
	. > 0.9 and . < 1.1' "$TMP/json")" true
kill $!

# Sampling: every sample fires on request.
# samples NAME OPTION...: a session with a command that fires 50 times on both CPUs
samples() {
	name=$1
	shift
	# shellcheck disable=SC2016 # of the shell there
	"$TPROF" top --json -d 60 -c 1000 "$@" -- sh -c 'for cpu in 0 1; do
		taskset -c $cpu sh -c "echo 50 >/sys/module/tprof_hybrid/parameters/fire"
	done' >"$TMP/json" 2>"$TMP/stderr" || diag "$name: $(cat "$TMP/stderr")"
	ledger_closes "$name" "$TMP/json"
}

for engine in perf kmod; do
	samples "$engine, both" --engine $engine -e cycles
	is "$engine, both: an event of each PMU" "$(jq -r '[.events[].event] | join(" ")' "$TMP/json")" \
		'cpu_core/cycles/ cpu_atom/cycles/'
	is "$engine, both: samples of each" "$(jq -c '[.events[].ledger | .fired, .weight.fired]' "$TMP/json")" \
		'[50,50000,50,50000]'
	is "$engine, both: and no others" "$(jq '[.events[].ledger.lost[]] | add' "$TMP/json")" 0
	samples "$engine, one PMU" --engine $engine -e cpu_atom/cycles/
	is "$engine, one PMU: its samples" "$(jq -r '"\(.event) \(.ledger.fired)"' "$TMP/json")" 'cpu_atom/cycles/ 50'
	samples "$engine, its CPU" --engine $engine -e cycles -C 0
	is "$engine, its CPU: one event" "$(jq -r '"\(.event) \(.ledger.fired)"' "$TMP/json")" 'cpu_core/cycles/ 50'
done

# Each portion is captured with interrupts disabled, and delivered after that: between the two, none is missing.
is 'kmod, in portions: all, and none is missing' "$("$BUILD/read_often" cpu_atom/cycles/ 50 \
	/sys/module/tprof_hybrid/parameters/fire 2>&1)" '10000 fired, 0 lost'
refuses 'the other CPU' 4 'event cpu_core/cycles/: none of the chosen CPUs can sample it' \
	"$TPROF" top --batch --engine perf --duration 1 -e cpu_core/cycles/ -C 1
refuses 'too many events' 2 'event cpu_core/bus-cycles/: a session has at most 8 events, and each type of CPU' \
	"$TPROF" top --batch --duration 1 -e cycles,instructions,branches,branch-misses,bus-cycles

# PMUs that are shared with guests.
echo Y >$shared
check 'shared with guests: stat' stat -v -a -e cycles --duration 0.2
is 'shared with guests: stat: counted' "$(jq -c '[.rows[0].values[].state] | unique' "$TMP/json")" '["counted"]'
like 'shared with guests: stat: which it says' "$(cat "$TMP/stderr")" \
	'event cpu_core/cycles/: guests are not counted'
for engine in perf kmod; do
	samples "shared with guests: $engine" -v --engine $engine -e cycles
	is "shared with guests: $engine: samples" "$(jq -c '[.events[].ledger.fired]' "$TMP/json")" '[50,50]'
	like "shared with guests: $engine: which it says" "$(cat "$TMP/stderr")" \
		'event cpu_atom/cycles/: guests are not sampled'
done
refuses 'shared with guests: only guests' 4 'event cpu_core/cycles/G: this machine cannot sample it' \
	"$TPROF" top --batch --engine perf --duration 1 -e cycles:G
echo N >$shared
done_testing
