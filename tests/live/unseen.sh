#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Context switches that no program sees (the workload `unseen`): each wait, run and wake-up that was not seen is in the
# ledger, the times are right, and no wait is above the minimum because two were joined.
. "${0%/*}/../lib/live.sh"

[ "$(nproc)" -ge 2 ] || skip_all 'needs two CPUs'

ROUNDS=20
# On a busy machine, some switches come so late that other ones are unseen.
MANY=$((ROUNDS / 2))

# unseen FILTER KIND OPTION...: sets $left, $away, $late to what the workload prints
unseen() {
	filter=$1 kind=$2
	shift 2
	# shellcheck disable=SC2016 # of the shell there
	"$TPROF" run "$filter" --json --no-sandbox "$@" -- sh -c 'exec "$0" "$1" "$2" >"$3"' \
		"$WORKLOAD/unseen" "$kind" $ROUNDS "$TMP/printed" >"$TMP/json" 2>"$TMP/stderr"
	is "$kind: $filter $*: exit code" $? 0
	ledger_closes "$kind: $filter" "$TMP/json"
	rows_add_up "$kind: $filter" "$TMP/json"
	read -r left away late <"$TMP/printed"
}

# missed [EVENT]: prints how many were not seen
missed() {
	jq --arg event "${1:-}" '(.events // [] | map(select(.event == $event)) | .[0]) // . |
		.ledger.lost.engine_missed' "$TMP/json"
}

# time_of NAME: prints the time of the rows of this filter key
time_of() {
	jq --arg key "$1" '[.tables[].rows[] | select(.key == $key).weight] | add // 0' "$TMP/json"
}

# Each time that a thread leaves a CPU, it waits. Beyond what the program prints, the end of it waits, and a thread
# waits when it is new, and when it ends.
for kind in leaves returns ends; do
	unseen comm $kind --off-cpu
	counted=$(jq '[.tables[].rows[].samples] | add' "$TMP/json")
	more=10
	[ $kind = ends ] && more=$((10 + 2 * ROUNDS))
	check "$kind: $(missed) waits are missed" test "$(missed)" -gt $MANY
	check "$kind: all waits: $counted and $(missed) of $left" \
		awk -v all="$((counted + $(missed)))" -v left="$left" -v more="$more" \
			'BEGIN { exit !(all >= left - 4 && all <= left + more) }'
	is "$kind: no weight is missed" "$(jq .ledger.weight.lost.engine_missed "$TMP/json")" 0
	like "$kind: the loss is of switches" "$(cat "$TMP/stderr")" \
		'% engine_missed \(the kernel hides some context switches: '
done

for kind in leaves returns; do
	unseen comm $kind --off-cpu
	check "$kind: the time: $(time_of sleeper) of $away ns" awk -v told="$(time_of sleeper)" -v away="$away" \
		'BEGIN { exit !(told >= 0.98 * away && told <= 1.02 * away + 1e7) }'
	unseen comm $kind --off-cpu --min 14ms
	counted=$(jq '[.tables[].rows[] | select(.key == "sleeper").samples] | add // 0' "$TMP/json")
	check "$kind: waits above the minimum: $counted, $late were, $(missed) are missed" \
		test "$counted" -le $((late + $(missed)))
	check "$kind: those below the minimum are no loss" test "$(missed)" -lt $((late + MANY))
done

# A thread that comes to run unseen has its run, and one that leaves and comes back unseen has none in between.
unseen comm returns -e off-cpu,on-cpu,wakeup
check "returns: $(missed off-cpu) waits are missed" test "$(missed off-cpu)" -gt $MANY
check "returns: $(missed on-cpu) runs are missed" test "$(missed on-cpu)" -lt $MANY
check "returns: $(missed wakeup) wake-ups are missed" test "$(missed wakeup)" -lt $MANY
unseen comm leaves -e off-cpu,on-cpu,wakeup
for event in off-cpu on-cpu wakeup; do
	check "leaves: $event: $(missed $event) are missed" test "$(missed $event)" -gt $MANY
done

done_testing
