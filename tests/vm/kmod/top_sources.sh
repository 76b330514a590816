# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=x86-64,arm64,next seconds=90
# Tracepoints and sources of other modules, which only the module samples by name: each event is counted once.
. "${0%/*}/../lib/live.sh"

insmod "$TPROF_MODULES/tprof_sink.ko" || bail 'the source sink does not load'
at_exit 'rmmod tprof_sink'

# total EVENT COUNT COMMAND...: samples the command; writes its intervals to $TMP/lines, and their sum to $TMP/json
total() {
	total_event=$1 total_count=$2
	shift 2
	"$TPROF" top --json -e "$total_event" -c "$total_count" -- "$@" >"$TMP/lines" 2>"$TMP/stderr" || return 1
	jq -s '{ engine: .[0].engine, event: .[0].event, samples: map(.ledger.done) | add,
		weight: map(.ledger.weight.done) | add,
		listed: [.[].functions[].weight] | add }' "$TMP/lines" >"$TMP/json"
}

# Four execs: the shell and three commands.
execs='/bin/true; /bin/true; /bin/true; :'
if total sched:sched_process_exec 1 sh -c "$execs"; then
	is 'tracepoint: on the module, by its name' "$(jq -r '"\(.engine) \(.event)"' "$TMP/json")" \
		'kmod sched:sched_process_exec'
	is 'tracepoint: each passage is a sample' "$(jq -r '"\(.samples) \(.weight)"' "$TMP/json")" '4 4'
	ledger_closes 'tracepoint' "$TMP/lines"
	is 'perf stat counts as many' "$(perf stat -x, -e sched:sched_process_exec -- sh -c "$execs" 2>&1 >/dev/null |
		awk -F, '/sched_process_exec/ { print $1 }')" 4
else
	not_ok 'tracepoint' "$(cat "$TMP/stderr")"
fi

# 100 writes of 1,000 bytes. A write fires once, with any number of bytes.
for count in 1000 100; do
	if total sink $count sh -c 'i=0; while [ $i -lt 100 ]; do
			printf %1000s . >/sys/module/tprof_sink/parameters/bytes; i=$((i + 1)); done'; then
		is "source sink, every $count bytes: on the module, by its name" \
			"$(jq -r '"\(.engine) \(.event)"' "$TMP/json")" 'kmod sink'
		is "source sink, every $count bytes: each write is a sample, each byte is in one" \
			"$(jq -r '"\(.samples) \(.weight) \(.listed)"' "$TMP/json")" '100 100000 100000'
		ledger_closes "source sink, every $count bytes" "$TMP/lines"
	else
		not_ok "source sink, every $count bytes" "$(cat "$TMP/stderr")"
	fi
done

refuses 'no such tracepoint' 2 'event sched:no_such: there is no tracepoint of this name' \
	"$TPROF" top --batch --duration 1 -e sched:no_such
refuses 'no name of a tracepoint' 2 'event sched:a.b: not of the form GROUP:NAME' \
	"$TPROF" top --batch --duration 1 -e sched:a.b
refuses 'no such source' 2 'event no_such: ' "$TPROF" top --batch --duration 1 -e no_such
refuses 'a tracepoint without the module' 4 'event sched:sched_process_exec: ' \
	"$TPROF" top --engine perf --batch --duration 1 -e sched:sched_process_exec
# debugfs automatically mounts tracefs at the first access.
umount /sys/kernel/tracing
umount /sys/kernel/debug
refuses 'no trace file system' 4 'tracefs is not mounted' \
	"$TPROF" top --batch --duration 1 -e sched:sched_process_exec
mount -t debugfs debugfs /sys/kernel/debug
mount -t tracefs tracefs /sys/kernel/tracing

done_testing
