#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The ledger closes exactly at any rate, with any scope and with a table that is far too small, and the number of fired
# samples agrees with the counter of the event to less than one sample for each CPU.
. "${0%/*}/../lib/live.sh"

# The counter of a throttled event does not advance; the ledger includes the samples that would have fired. The counter
# is printed rounded: 15.9996 as 16.
counter_agrees() {
	is "$1: fired agrees with the counter" \
		"$(jq -c '(.ledger.fired - .ledger.counter) as $more | (.cpus + 0.005) as $most |
			if $more > -$most and $more < .ledger.lost.throttled + $most then true
			else { cpus, ledger } end' "$2")" true
}

# The extreme printed values that still are less than one sample for each CPU.
for counter in 12 16; do
	echo '{ "cpus": 2, "ledger": { "fired": 14, "counter": '$counter', "lost": { "throttled": 0 } } }' >"$TMP/json"
	counter_agrees "14 and nearly $counter" "$TMP/json"
done

background "$WORKLOAD/spin" --seconds 600 --threads 4
spin=$pid
background "$WORKLOAD/spin" --seconds 600 --fork 100 --exec
# The identities are exact for any number of samples, so one second is enough.
seconds=1

for hz in 99 997 20000; do
	profile "$TMP/json" -F $hz
	by_function "$TMP/json"
	closes "$hz Hz" "$TMP/json"
	counter_agrees "$hz Hz" "$TMP/json"
	like "$hz Hz: something fired" "$(ledger "$TMP/json" .fired)" '^[1-9][0-9]'
	diag "$hz Hz: $(jq -c .ledger "$TMP/json")"
done

# Samples that do not fit into a small table count as table_full.
profile "$TMP/json" -F 997 --table-entries 16
closes '16 entries' "$TMP/json"
counter_agrees '16 entries' "$TMP/json"
like '16 entries: the table ran full' "$(ledger "$TMP/json" .table_full)" '^[1-9]'
diag "16 entries: $(jq -c .ledger "$TMP/json")"
like '16 entries: it is said in words, with what mends it' "$(jq -r .loss.text "$TMP/json")" \
	'% of the samples in scope are missing: .*table_full \(use larger tables: --table-entries'
for output in "top --batch --duration 1" "run top --duration 1" "record -o $TMP/full.folded --duration 1"; do
	# shellcheck disable=SC2086 # a command and its options
	"$TPROF" $output -F 997 --table-entries 16 >"$TMP/text" 2>&1
	like "16 entries: ${output%% *} says so too" "$(cat "$TMP/text")" \
		'warning: .*% of the samples in scope are missing: .*table_full \(use larger tables: --table-entries'
done

# scoped IDLE OPTION...: IDLE as for closes
scoped() {
	idle=$1
	shift
	profile "$TMP/json" "$@"
	closes "$*" "$TMP/json" "$idle"
	counter_agrees "$*" "$TMP/json"
}

scoped 0 -F 997 -p "$spin"
is '-p: other processes are out of scope' \
	"$(jq -r "[.functions[] | select(.pid != $spin)] | length" "$TMP/json")" 0
like '-p: and counted' "$(ledger "$TMP/json" .out_of_scope)" '^[1-9]'
is '-p: what is missing is a share of what was in scope' "$(jq '.loss.in_scope - .loss.missing == .ledger.done' \
	"$TMP/json")" true
scoped 0 -F 997 -t "$spin"
scoped 0 -F 997 --user-only
is '--user-only: no kernel' "$(jq -r '[.functions[] | select(.mode != "user")] | length' "$TMP/json")" 0
scoped 0 -F 997 --comm spin
scoped .idle -F 997 --kernel-only
is '--kernel-only: no user' "$(jq -r '[.functions[] | select(.mode == "user")] | length' "$TMP/json")" 0
scoped .idle -F 997 -C 0
is '-C 0: one CPU' "$(jq -r .cpus "$TMP/json")" 1
scoped .idle -c 5000000
scoped .idle -e page-faults -c 1

done_testing
