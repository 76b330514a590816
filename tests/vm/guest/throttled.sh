# SPDX-License-Identifier: GPL-2.0-only
# Where the kernel throttles an event of the perf engine, because it fires more often than perf_event_max_sample_rate
# permits, the samples are lost as throttled, and the output names the option that helps.
. "${0%/*}/../lib/live.sh"

limit=/proc/sys/kernel/perf_event_max_sample_rate
usual=$(cat $limit)
lazy "$WORKLOAD/spin" --seconds 3600
"$TPROF" top --engine perf --json -e cpu-clock -F 4000 --duration 2 >"$TMP/json" 2>"$TMP/stderr"
without=$(ledger "$TMP/json" .lost.throttled)
diag "without a limit, $without samples are lost as throttled: interrupts that the host has delayed"

# The harness has switched this off; the kernel accepts a limit for the rate only with it.
echo 25 >/proc/sys/kernel/perf_cpu_time_max_percent
echo 500 >$limit
at_exit "echo $usual >$limit; echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent"
"$TPROF" top --engine perf --json -e cpu-clock -F 4000 --duration 2 >"$TMP/json" 2>"$TMP/stderr"
is 'with a limit: exit code' $? 0
ledger_closes 'with a limit' "$TMP/json"
check 'with a limit, samples are throttled' [ "$(ledger "$TMP/json" .lost.throttled)" -gt $((1000 + 2 * without)) ]
like 'the output says so' "$(jq -r .loss.text "$TMP/json")" ' % throttled \(use a lower rate: -F\)'
done_testing
