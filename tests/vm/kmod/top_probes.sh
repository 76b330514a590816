# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=x86-64,arm64,next not=debug,race all=arm64 seconds=150
# Places in code as events of the command: functions of the kernel and of a program, their returns, and tracepoints.
# Each call is a sample, without -c and -F. On arm64 only what depends on the architecture: the places, and the stack at
# the first instruction of a function.
. "${0%/*}/../lib/live.sh"

case $(uname -m) in
x86_64) getppid=__x64_sys_getppid ;;
*) getppid=__arm64_sys_getppid ;;
esac
visits=$WORKLOAD/visits

# total EVENT OPTION...: the intervals of visits with $calls and $threads, $TMP/lines, and their sum, $TMP/json
total() {
	total_event=$1
	shift
	"$TPROF" top --json -e "$total_event" "$@" -- "$visits" "$calls" "$threads" >"$TMP/lines" 2>"$TMP/stderr" || {
		not_ok "$total_event" "$(cat "$TMP/stderr")"
		return 1
	}
	jq -s '{ engine: .[0].engine, event: .[0].event, unit: .[0].unit, period: .[0].period,
		samples: map(.ledger.done) | add, weight: map(.ledger.weight.done) | add,
		counter: map(.ledger.counter) | add,
		lost: map(.ledger.lost | to_entries | map(.value) | add) | add,
		names: [.[].functions[] | .symbol] | unique }' "$TMP/lines" >"$TMP/json"
}

# counts EVENT SAMPLES: one sample for each call, none lost
counts() {
	is "$1: on the module, by its name" "$(jq -r '"\(.engine) \(.event)"' "$TMP/json")" "kmod $1"
	is "$1: each call is a sample" "$(jq -r '"\(.samples) \(.weight)"' "$TMP/json")" "$2 $2"
	is "$1: none is lost" "$(jq .lost "$TMP/json")" 0
	ledger_closes "$1" "$TMP/lines"
}

# named EVENT FUNCTION: all samples are in that function; a system call has other names at the same address
named() {
	is "$1: in $2" "$(jq -r '.names | join(" ")' "$TMP/json" | sed 's/^__[a-z0-9]*_sys_/sys_/')" "$2"
}

calls=1000 threads=1
event=kprobe:$getppid
total $event && counts $event 1000 && named $event sys_getppid
event=uprobe:$visits:visit
total "$event" && counts "$event" 1000 && named "$event" visit

# The stack at the first instruction of a function: its frame is not made yet, so a walk by frame pointers lacks the
# caller, and the unwind information has it.
if "$TPROF" record --call-graph dwarf -e "$event" --format folded -o "$TMP/folded" -- "$visits" 100 \
	>"$TMP/stdout" 2>"$TMP/stderr"; then
	is 'the call stack ends in the function' \
		"$(sed -n 's/^.*\(;run;travel;visit\) \([0-9]*\)$/\1 \2/p' "$TMP/folded")" \
		';run;travel;visit 100'
else
	not_ok 'call stacks' "$(cat "$TMP/stderr")"
fi

[ "$(uname -m)" != aarch64 ] || done_testing

event=kretprobe:$getppid
total $event && counts $event 1000
event=tracepoint:syscalls:sys_enter_getppid
total $event && counts $event 1000
event=uretprobe:$visits:visit
total "$event" && counts "$event" 1000 && named "$event" travel

calls=500 threads=8
event=uprobe:$visits:visit
total "$event" && counts "$event" 4000
if total "$event" -c 10; then
	within "$event, every 10: samples" "$(jq .samples "$TMP/json")" 400 "$(nproc)"
	within "$event, every 10: the counter" "$(jq .counter "$TMP/json")" 400 1
fi

# A process that runs already, and a rate.
background "$visits" 1000000000
seconds=3
if profile "$TMP/json" -e "$event" -F 100 -p "$pid"; then
	closes 'a rate' "$TMP/json"
	check 'a rate: the period has been adapted' jq -e '.period > 1' "$TMP/json"
else
	not_ok 'a rate'
fi

# The list of running sources shows the place.
background "$TPROF" top --json -e "$event" --duration 60
check 'tprof list sources shows the file' comes "path=.*/visits,offset=0x" "$TPROF" list sources
end "$pid"

top="$TPROF top --batch --duration 1"
refuses 'no such function of the kernel' 2 'the kernel has no such function' $top -e kprobe:no_such_function
refuses 'no such file' 2 'No such file' $top -e uprobe:/no/such/file:main
refuses 'no such function of a program' 2 'there is no function no_such' $top -e "uprobe:$visits:no_such"
refuses 'a place behind the function' 2 'the function has only' $top -e "uprobe:$visits:visit+100000"
refuses 'an address of no function' 2 'there is no such function' $top -e kprobe:0x1000
refuses 'a place that no probe can have' 2 'there cannot be a probe' $top -e kprobe:$getppid+1
refuses 'no place' 2 'not of the form kprobe:' $top -e kprobe:
refuses 'a kprobe without the module' 4 'the perf engine cannot run filters on kprobes' \
	$top --engine perf -e kprobe:$getppid
refuses 'a uprobe without the module' 4 'the perf engine cannot run filters on uprobes' \
	$top --engine perf -e "$event"
done_testing
