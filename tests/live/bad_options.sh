#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=2 sanitized=only
# Invalid options are refused with one sentence, one hint and exit code 2, before sampling begins.
. "${0%/*}/../lib/live.sh"

# wrong WHAT SENTENCE OPTION...
wrong() {
	wrong_what=$1 wrong_text=$2
	shift 2
	refuses "$wrong_what" 2 "$wrong_text" "$TPROF" top --batch --duration 1 "$@"
}

sh -c 'exit 0' &
gone=$!
wait "$gone"

wrong 'unknown event' 'cylces' -e cylces
wrong 'empty event' '' -e ''
wrong 'unknown PMU' 'nosuchpmu' -e nosuchpmu/event=1/
wrong 'kprobe without a function' 'not of the form kprobe:FUNCTION' -e kprobe:
wrong 'uprobe without a function' 'not of the form uprobe:PATH:FUNCTION' -e uprobe:/bin/sh
wrong 'return from the middle of a function' 'not of the form kretprobe:FUNCTION' -e kretprobe:vfs_read+4
wrong 'tracepoint without a name' 'not of the form GROUP:NAME' -e tracepoint:sched
wrong 'modifier that is not supported' 'event cycles:S: the modifier S is not supported' -e cycles:S
refuses 'modifier: precise, of the kernel' 2 'event page-faults:p: .* precise addresses' "$TPROF" top --batch \
	--duration 1 -e page-faults:p
for event in off-cpu on-cpu wakeup; do
	wrong "modifier: $event" "event $event:u: .* have no modifiers" -e "cpu-clock,$event:u"
	refuses "modifier: stat, $event" 2 "event $event:u: .* have no modifiers" "$TPROF" stat -e "$event:u"
done
wrong 'modifier: guests, of the kernel' 'only counters of the hardware tell guests' -e page-faults:G
wrong 'modifier: a clock, and not the whole session' \
	'event cpu-clock:u: a clock is limited to a mode only together with the whole session' \
	-e cpu-clock:u,page-faults
wrong 'modifier: a clock, and another mode' 'event cpu-clock:u: a clock is limited' -e cpu-clock:u,page-faults:k
wrong 'modifier and option' '--user-only and the modifiers of event page-faults:k exclude each other' \
	--user-only -e page-faults:k
wrong 'pid of no process' "$gone" -p "$gone"
wrong 'pid that is no number' 'two' -p two
wrong 'one bad pid in a list' "$gone" -p "$$,$gone"
wrong 'tid of no thread' "$gone" -t "$gone"
wrong 'unknown cgroup' '/no/such/cgroup' -G /no/such/cgroup
wrong 'CPU that is not there' '4095' -C 4095
wrong 'CPU list that is none' 'first' -C first
wrong 'CPU list that runs backwards' '3-1' -C 3-1
wrong 'rate 0' "'0'" -F 0
wrong 'absurd rate' '-F 1000000000: the range is 1 to 100000 ' -F 1000000000
wrong 'negative rate' "'-5'" -F -5
wrong 'rate with a tail' '99x' -F 99x
wrong 'period 0' "'0'" -c 0
wrong 'absurd period' '-c 9223372036854775808: too large' -c 9223372036854775808
wrong 'period of a clock that is too short' '-c 9999: .* 10000 nanoseconds' -c 9999 -e cpu-clock
wrong 'rate and period' '-F and -c exclude each other' -F 99 -c 1000000
wrong 'user only and kernel only' '--kernel-only and --user-only exclude each other' --user-only --kernel-only
wrong 'all and one process' '-a and -p exclude each other' -a -p 1
wrong 'all and one thread' '-a and -t exclude each other' -a -t 1
wrong 'table of 0 entries' "'0'" --table-entries 0
wrong 'stacks of 0 frames' "'0' is out of range" --max-stack 0
wrong 'stacks of 3 frames' '--max-stack: stacks of 3 frames: .* 4 to 1023' --max-stack 3
wrong 'stacks of 1024 frames' '--max-stack: stacks of 1024 frames: .* 4 to 1023' --max-stack 1024
wrong 'stacks of a filter without' '--max-stack: filter top: has no table of stacks' --max-stack 16
wrong 'duration 0' "'0'" --duration 0
wrong 'unknown engine' 'warp' --engine warp
wrong 'unknown filter' 'nosuch' --filter nosuch
wrong 'unknown parameter' 'nosuch' --set nosuch=1
wrong 'parameter without a value' 'nosuch' --set nosuch
wrong 'unknown option' 'fequency' --fequency 99

refuses 'record -g dwarf' 2 'dwarf,16384: unexpected operand: -g takes no value' "$TPROF" record -g dwarf,16384 -- true
is 'record -g dwarf: the option' "$(sed -n 2p "$TMP/stderr")" 'hint: --call-graph dwarf,16384'
wrong 'top -g dwarf' '-g takes no value' -g dwarf
refuses 'record dwarf' 2 'dwarf: unexpected operand$' "$TPROF" record dwarf
like 'record dwarf: a command' "$(cat "$TMP/stderr")" '^hint: to launch and record it: tprof record -- dwarf'

# The kernel runs other programs than filters on these events, so the perf engine has no answer but that.
for event in kprobe:vfs_read kretprobe:vfs_read uprobe:/bin/sh:main uretprobe:/bin/sh:main; do
	kind=${event%%:*}
	refuses "perf engine: $kind" 4 "event $event: the perf engine cannot run filters on [ku]probes" \
		"$TPROF" top --engine perf --batch --duration 1 -e $event
done

# Advice to load the module does not help on a kernel that cannot load modules.
if [ ! -e /proc/modules ]; then
	refuses 'no loadable modules' 4 'engine kmod: this kernel cannot load modules$' \
		"$TPROF" top --engine kmod --batch --duration 1
	is 'no loadable modules: the advice' "$(sed -n 2p "$TMP/stderr")" \
		'hint: --engine perf works without the module'
fi

refuses 'unknown command' 2 'tpo' "$TPROF" tpo
refuses 'filter file that is not there' 2 'missing.bpf.o' "$TPROF" run "$TMP/missing.bpf.o"
refuses 'nothing to run' 2 '' "$TPROF" run
refuses 'nothing to list' 2 'colours' "$TPROF" list colours

done_testing
