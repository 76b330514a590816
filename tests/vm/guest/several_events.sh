# SPDX-License-Identifier: GPL-2.0-only
# vm: seconds=120
# Several events in one session on this kernel: each has its own samples, ledger, period and name.
. "${0%/*}/../lib/live.sh"

"$BUILD/several_events" perf cpu-clock page-faults context-switches cpu-migrations >"$TMP/said" 2>&1
is 'exit code' $? 0
is 'what does not hold' "$(grep '^not ok' "$TMP/said")" ''
check 'all was tried' grep -qx "1\.\.$(grep -c '^ok ' "$TMP/said")" "$TMP/said"
sed -n 's/^# //p' "$TMP/said" | while read -r line; do diag "$line"; done

done_testing
