# SPDX-License-Identifier: GPL-2.0-only
# `tprof top` names the functions of a program and closes its ledger, at an ordinary and at a high rate, and ends with
# what it samples. Shares are not judged closely: an emulated CPU is no place to measure.
. "${0%/*}/../lib/live.sh"

background "$WORKLOAD/spin" --seconds 60
seconds=3
for hz in 99 4999; do
	check "$hz Hz: top runs" profile "$TMP/json" -F $hz
	closes "$hz Hz" "$TMP/json"
	within "$hz Hz: hot() has about half" "$(share "$TMP/json" ".pid == $pid" hot)" 50 12
	like "$hz Hz: the kernel is named too" \
		"$(jq -r '.functions[] | select(.mode == "kernel").object' "$TMP/json")" kernel
	diag "$hz Hz: $(jq -c '.ledger' "$TMP/json")"
done

# A kernel before 6.9 does not say when a thread ends.
background "$WORKLOAD/spin" --threads 2 --seconds 6
check '-t: there is one' comes 2 sh -c "ls /proc/$pid/task | wc -l"
# shellcheck disable=SC2012 # numbers
tid=$(ls "/proc/$pid/task" | tail -n 1)
check '-t: ends with the thread' timeout 60 "$TPROF" top --json --duration 300 -t "$tid"
isnt_first=$([ "$tid" = "$pid" ] || echo "$tid")
like '-t: which is not the first of its process' "$isnt_first" '^[0-9]+$'
done_testing
