#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The shares of a workload with a known truth are right within 2 points, alone and beside other load. For 20,000 random
# samples (5 s at 3,989 Hz) the standard deviation of 50 % is a third of a point, and for 10,000 (10 s at 997 Hz) it is
# half a point, so 2 points are six or four of them. The real deviation is smaller, because a round of the workload is
# several sampling intervals long.
. "${0%/*}/../lib/live.sh"

background "$WORKLOAD/spin" --seconds 600
sleep 0.2
seconds=10 profile_enough "$TMP/alone" "$(user_mode_of "$pid")" -F 997
truth 'started before tprof' "$TMP/alone" "$(user_mode_of "$pid")"

# If a round were as long as a sampling interval, consecutive samples would tend to be in the same function, and the
# variance of shares would be half as large again as for random samples. Therefore this measures, at the rate of the
# guests, how the number of samples of hot() varies between rows of 50 consecutive samples. The variance of 50 random
# samples is 50 / 4; on an idle machine it is a sixth of that. A host that takes the CPU away makes the times between
# samples random, so rows that took longer than 50 intervals do not count. The variance of 200 rows has a standard
# deviation of a tenth, so the limit is two of these below 1; at least 50 rows are required.
for attempt in 1 2 3 4; do
	"$TPROF" run --json --duration 6 -F 1997 -p "$pid" pass >"$TMP/lines" 2>"$TMP/stderr" ||
		not_ok 'samples in a row' "$(cat "$TMP/stderr")"
	jq -r 'select(.sample).sample | "\(.time_ns) \(.symbol)"' "$TMP/lines" | sort -n | awk '
		function row_ends() {
			if ($1 - start < 1.1 * 50e9 / 1997) { rows++; sum += hot; squares += hot * hot }
			start = $1
			hot = 0
		}
		NR == 1 { start = $1 }
		$2 == "hot" { hot++ }
		NR > 1 && NR % 50 == 1 { row_ends() }
		END {
			variance = rows > 1 ? (squares / rows - (sum / rows) ^ 2) / (50 / 4) : "unknown"
			print variance, rows + 0, NR
		}' >"$TMP/variance"
	read -r variance rows samples <"$TMP/variance"
	[ "$rows" -lt 50 ] || break
	diag "samples in a row: attempt $attempt has $rows rows that are on time"
done
tail -n 1 "$TMP/lines" >"$TMP/json"
ledger_closes 'samples in a row' "$TMP/json"
diag "samples in a row: the variance of hot() is $variance of that of chance, by $rows rows of $samples samples"
if [ "$rows" -ge 50 ]; then
	check 'samples in a row: their shares are nearer than chance has them' \
		awk '$1 < 0.8 { near = 1 } END { exit !near }' "$TMP/variance"
else
	skip 'samples in a row: their shares are nearer than chance has them' \
		"the host takes the CPU away: $rows rows of 50 samples were on time in four runs"
fi
end "$pid"

# Two processes compete for each CPU: the workload gets about half of one, so it has half as many samples.
background "$WORKLOAD/syscalls" 600
other=$pid
background "$WORKLOAD/spin_cxx" 600
another=$pid
background "$WORKLOAD/spin" --seconds 600
profile_enough "$TMP/beside" "$(user_mode_of "$pid")" -F 3989
truth 'next to busy processes' "$TMP/beside" "$(user_mode_of "$pid")"
end "$other"
end "$another"
end "$pid"

background "$WORKLOAD/spin" --seconds 600 --threads 8
profile_enough "$TMP/threads" "$(user_mode_of "$pid")" -F 3989
truth '8 threads' "$TMP/threads" "$(user_mode_of "$pid")"
end "$pid"

profile "$TMP/after" -F 3989 &
profiler=$!
sleep 1
background "$WORKLOAD/spin" --seconds 600
wait "$profiler"
truth 'started after tprof' "$TMP/after" "$(user_mode_of "$pid")"
end "$pid"

profile_enough "$TMP/launched" '.comm == "spin"' -F 3989 -- "$WORKLOAD/spin" --seconds 120
truth 'launched by tprof' "$TMP/launched" '.comm == "spin"' 0

done_testing
