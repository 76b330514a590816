# SPDX-License-Identifier: GPL-2.0-only
# `tprof top` names the functions of a program and closes its ledger, at an ordinary and at a high rate. Shares
# are not judged closely: an emulated CPU is no place to measure.
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
done_testing
