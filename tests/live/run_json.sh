#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=12
# The output of `tprof run --json` matches docs/tprof-run.schema.json: kept samples, and tables whose rows have their
# members by name and type.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/schema.sh"
schema=docs/tprof-run.schema.json

have_schemas || skip_all "$NO_SCHEMAS"

cat >"$TMP/typed.bpf.c" <<'END'
#include <tprof/filter.bpf.h>

struct key {
	tprof_ip_t ip;
	tprof_tgid_t tgid;
	tprof_cpu_t cpu;
	__s32 low;
	char word[4];
};

struct value {
	__u64 passes;
	__u64 weight;
	__u64 high;
	__s64 below;
};

TPROF_TABLE_OF(typed, struct key, struct value, 1024);

TPROF_FILTER(typed, s)
{
	struct key key = { .ip = s->ip, .tgid = s->tgid, .cpu = s->cpu, .low = -3, .word = "abc" };
	struct value zero = {}, *value;

	if (s->flags & TPROF_SAMPLE_IDLE)
		return TPROF_DONE;
	value = tprof_table_slot(typed, &key, &zero, s->weight);
	if (!value)
		return TPROF_DONE;
	__sync_fetch_and_add(&value->passes, 1);
	__sync_fetch_and_add(&value->weight, s->weight);
	value->high = 0xffffffffffffffff;
	value->below = -5000000000;
	return TPROF_DONE;
}

TPROF_LICENSE("GPL");
END
# shellcheck disable=SC2086 # options are words
clang -g -O2 --target=bpf $FILTER_INCLUDE -c "$TMP/typed.bpf.c" -o "$TMP/typed.bpf.o" || bail 'cannot compile'

background "$WORKLOAD/spin" --seconds 600
sleep 0.2

# run FILTER OPTION...: runs the filter on the workload; the last object is in $TMP/last and in $TMP/last.FILTER
run() {
	"$TPROF" run "$@" --json -F 997 -p "$pid" >"$TMP/json" 2>"$TMP/stderr" || diag "$(cat "$TMP/stderr")"
	tail -n 1 "$TMP/json" >"$TMP/last"
	cp "$TMP/last" "$TMP/last.${1##*/}"
}

# of FILTER: its first run is in $TMP/last again
of() {
	cp "$TMP/last.$1" "$TMP/last"
}

# member NAME: prints all different types and contents of this member of the rows
member() {
	jq -r --arg name "$1" '[.tables[].rows[].members[] | select(.name == $name) |
		"\(.of) \(.type) \(if .address then .object else (.number // "-") end) \(.text // .symbol)"] |
		unique[]' "$TMP/last"
}

for filter in top stacks cgroup comm cpu; do
	run "$filter" --duration 1
	check "$filter: valid" valid "$schema" "$TMP/json"
	check "$filter: has rows" jq -e '.tables[] | select(.rows | length > 0)' "$TMP/last"
done
of cpu
like 'cpu: a number' "$(member cpu)" '^key cpu [0-9]+ [0-9]+$'
like 'cpu: flags by name' "$(member mode)" '^key flags [0-9]+ user$'
of comm
is 'comm: a text' "$(member thread)" 'key text - spin'
is 'comm: a key of one member is text without its name' "$(jq -r '[.tables[0].rows[].key] | unique[]' "$TMP/last")" spin
of top
like 'top: an address with its symbol and object' "$(member ip)" '^key address spin hot'
like 'top: a process' "$(member tgid)" "^key process $pid spin \\($pid\\)\$"
like 'top: a cgroup' "$(member cgroup)" '^key cgroup [0-9]+ /'
of stacks
like 'stacks: a call stack' "$(member user)" '^key stack - .*;.*hot'
is 'no value: no members of a value' "$(jq '[.tables[].rows[].members[] | select(.of == "value")] | length' \
	"$TMP/last")" 0

run "$TMP/typed.bpf.o" --duration 1
check 'typed: valid' valid "$schema" "$TMP/json"
is 'typed: the members of a row' "$(jq -r '[.tables[0].rows[0].members[].name] | join(" ")' "$TMP/last")" \
	'ip tgid cpu low word passes weight high below'
is 'typed: signed, in the key' "$(member low)" 'key signed -3 -3'
is 'typed: text' "$(member word)" 'key text - abc'
is 'typed: too large for a number' "$(member high)" 'value unsigned - 18446744073709551615'
is 'typed: signed, in the value' "$(member below)" 'value signed -5000000000 -5000000000'
# Addresses of one function are one row, whose members are those of one of its keys.
is 'typed: samples have at least the first integer' "$(jq '[.tables[0].rows[] | .samples >=
	(.members[] | select(.name == "passes").number)] | all' "$TMP/last")" true

run pass --duration 1
check 'pass: valid' valid "$schema" "$TMP/json"
check 'pass: samples' jq -es '[.[] | select(.sample)] | length > 10' "$TMP/json"
run top -d 0.5 --duration 2
check 'intervals: valid' valid "$schema" "$TMP/json"
check 'intervals: several' test "$(wc -l <"$TMP/json")" -gt 2

of cpu
for change in 'del(.tables[0].rows[0].members)' '.tables[0].rows[0].members[0].type = "integer"' \
	      'del(.tables[0].rows[0].members[0].text)' 'del(.tables)' '.sample = {}' \
	      '.tables[0].rows[0].members[0].number = "1"'; do
	jq -c "$change" "$TMP/last" >"$TMP/broken"
	check "refused: $change" test -n "$(valid "$schema" "$TMP/broken" 2>&1)"
done
done_testing
