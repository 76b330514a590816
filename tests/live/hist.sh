#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=10
# Histograms: the time that threads are ready to run but have no CPU is that of the scheduler, in text, in JSON that
# matches docs/tprof-run.schema.json, and in other outputs.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/schema.sh"

# The latency of each thread name, with two buckets in the key
cat >"$TMP/hist.bpf.c" <<'EOF'
#include <tprof/filter.bpf.h>

struct key {
	tprof_log2_ns_t latency;
	struct tprof_comm thread;
	tprof_event_t event;
	tprof_linear_t ms;
};

TPROF_TABLE(hist, struct key, 4096);

TPROF_FILTER(hist, s)
{
	struct key key = {
		.latency = tprof_log2(s->data),
		.event = s->event,
		.ms = tprof_linear(s->data / 1000000, 1000, 60000, 1000),
	};

	__builtin_memcpy(key.thread.name, s->comm, sizeof(key.thread.name));
	if (s->flags & TPROF_SAMPLE_WAIT && s->data)
		tprof_count(hist, key, s->data);
	return TPROF_DONE;
}

TPROF_LICENSE("GPL");
EOF
# shellcheck disable=SC2086 # options are words
clang -g -O2 --target=bpf $FILTER_INCLUDE -c "$TMP/hist.bpf.c" -o "$TMP/hist.bpf.o" || bail 'cannot compile'

# Eight busy shells on two CPUs or so, which report what the scheduler says of their waits, and a thread that sleeps.
cat >"$TMP/busy.sh" <<'EOF'
read -r _ before count </proc/self/schedstat
i=0
while [ $i -lt "$1" ]; do
	i=$((i + 1))
done
read -r _ after counted </proc/self/schedstat
echo $((after - before)) $((counted - count)) "$after" >"$2"
EOF
# Its name is that of its threads, in the kernel too.
cp "$(command -v sh)" "$TMP/busy" || bail 'cannot copy sh'
cat >"$TMP/crowd.sh" <<'EOF'
"$WORKLOAD/waits" sleeps >/dev/null &
for i in 1 2 3 4 5 6 7 8; do
	"$TMP/busy" "$TMP/busy.sh" 60000 "$TMP/told.$i" &
done
wait
EOF
export WORKLOAD TMP

# buckets NAME JQ: the result of JQ on the rows of the threads with this name, as [least number, samples, weight]
buckets() {
	jq -r --arg name "$1" "[.tables[0].rows[] | select(any(.members[]; .text == \$name)) |
		[(.members[] | select(.name == \"latency\").from), .samples, .weight]] | sort | $2" "$TMP/json"
}

"$TPROF" run "$TMP/hist.bpf.o" --off-cpu --json -- sh "$TMP/crowd.sh" >"$TMP/json" 2>"$TMP/stderr"
is 'run: exit code' $? 0
ledger_closes 'run' "$TMP/json"
nothing_lost run "$TMP/json"
have_schemas && check 'run: valid' valid docs/tprof-run.schema.json "$TMP/json"
mean='(map(.[2]) | add) / (map(.[1]) | add)'
cat "$TMP"/told.* >"$TMP/told"
is 'run: all shells have told their waits' "$(wc -l <"$TMP/told" | tr -d ' ')" 8
delay=$(awk '{ ns += $1 } END { printf "%.0f", ns }' "$TMP/told")
delay_of_all=$(awk '{ ns += $3 } END { printf "%.0f", ns }' "$TMP/told")
waits=$(awk '{ n += $2 } END { print n }' "$TMP/told")
# Each shell has its name from a moment between its start and the first reading.
check "busy: the sum of all waits is between the $delay and $delay_of_all ns of the scheduler, within 5 %" \
	test "$(buckets busy "map(.[2]) | add | . > 0.95 * $delay and . < 1.05 * $delay_of_all")" = true
within "busy: their mean, in % of that of the $waits waits of the scheduler" \
	"$(buckets busy "$mean * 100 / ($delay / $waits)")" 100 8
is 'busy: the mean of each bucket is in the bucket' \
	"$(buckets busy 'map(select(.[2] < .[0] * .[1] or .[2] >= 2 * .[0] * .[1])) | length')" 0
check 'a thread that sleeps has a histogram of its own' test "$(buckets sleeps 'map(.[1]) | add')" -gt 0
is 'the second bucket' "$(jq -c '[.tables[0].rows[].members[] | select(.name == "ms" and .from == 0) |
	[.type, .to, .text, .number]] | unique' "$TMP/json")" '[["linear",1000,"[0, 1000)",null]]'

# As text, with headings, each line within 80 columns
LC_ALL=C "$TPROF" run "$TMP/hist.bpf.o" --off-cpu -n 1 --duration 0.5 >"$TMP/out" 2>"$TMP/stderr"
is 'text: exit code' $? 0
like 'text: the number' "$(cat "$TMP/out")" '^hist \([0-9]+ histograms\)$'
like 'text: a heading without the bucket' "$(cat "$TMP/out")" '^thread=.+ ms=\[0, 1000\)$'
like 'text: columns' "$(cat "$TMP/out")" '^range +samples +share$'
like 'text: the longest bar' "$(cat "$TMP/out")" \
	'^\[[0-9.]+[mun]?s, [0-9.]+[mun]?s\) +[0-9]+ +[0-9]+\.[0-9]{2}% \|@+\|$'
is 'text: one histogram of several' "$(grep -c '^range' "$TMP/out")" 1
like 'text: the others' "$(cat "$TMP/out")" '^# and [0-9]+ more$'
is 'text: all lines of the histogram end at column 80' \
	"$(sed -n '/^\[/p' "$TMP/out" | awk '{ print length($0) }' | sort -u)" 80

# The shipped filter, at intervals; with the time on the CPU, whose samples are no waits; without waits
"$TPROF" run runqlat --off-cpu -d 0.1 --duration 0.5 --json >"$TMP/lines" 2>"$TMP/stderr"
is 'intervals: exit code' $? 0
check 'intervals: several have a histogram' jq -es 'map(select(.tables[0].rows | length > 0)) | length >= 2' \
	"$TMP/lines"
check 'intervals: buckets have bounds' jq -es '[.[].tables[0].rows[].members[0]] |
	all(.[]; .type == "log2_time" and .to > .from)' "$TMP/lines"
"$TPROF" run runqlat --wall --duration 0.3 >"$TMP/out" 2>"$TMP/stderr"
like 'several events: none of the CPU' "$(cat "$TMP/out")" '^latency, cpu-clock \(0 keys\)$'
like 'several events: a histogram of the waits' "$(cat "$TMP/out")" '^latency, off-cpu \(1 histogram\)$'
"$TPROF" run runqlat -e cpu-clock --duration 0.2 >"$TMP/out" 2>"$TMP/stderr"
like 'no waits: the table is empty' "$(cat "$TMP/out")" '^# empty: no sample was counted'
like 'its own event' "$("$TPROF" filter show runqlat)" '^  samples off-cpu, unless -e names another event$'
"$TPROF" top --filter runqlat --off-cpu --json --duration 0.3 >"$TMP/json" 2>"$TMP/stderr"
is 'top: rows are buckets' "$(jq -r '[.functions[].symbol | test("^\\[.*s, .*s\\)$")] | unique | join(" ")' \
	"$TMP/json")" true

done_testing
