#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A workload whose truth is known comes out within 2 points, whatever surrounds it. With 20,000 samples (20 s at 997 Hz,
# 5 s at 3,989 Hz) that are drawn at random the standard deviation of 50 % is a third of a point, so 2 points are six of
# them. These come out nearer, for the rounds of the workload are some sampling intervals long.
. "${0%/*}/../lib/live.sh"

background "$WORKLOAD/spin" --seconds 600
sleep 0.2
seconds=20 enough=18000 profile_enough "$TMP/alone" ".pid == $pid" -F 997
truth 'started before tprof' "$TMP/alone" ".pid == $pid"

# Were a round as long as an interval, a sample would tend to be in the function of the one before it, and shares be
# further off than chance has them (half as far again, in variance). It is asked at the rate of the guests, of each 50
# samples in a row: hot() varies there by less than half of what 50 that are drawn at random have, which is 50 / 4. With
# 10,000 samples these are 200 numbers, and a tenth is what chance makes of their variance.
"$TPROF" run --json --duration 6 -F 1997 -p "$pid" pass >"$TMP/lines" 2>"$TMP/stderr" ||
	not_ok 'samples in a row' "$(cat "$TMP/stderr")"
tail -n 1 "$TMP/lines" >"$TMP/json"
ledger_closes 'samples in a row' "$TMP/json"
jq -r 'select(.sample).sample | "\(.time_ns) \(.symbol)"' "$TMP/lines" | sort -n | awk '
	$2 == "hot" { hot++ }
	NR % 50 == 0 { rows++; sum += hot; squares += hot * hot; hot = 0 }
	END { if (rows > 1) print (squares / rows - (sum / rows) ^ 2) / (50 / 4) }' >"$TMP/variance"
diag "samples in a row: the variance of hot() is $(cat "$TMP/variance") of that of chance"
check 'samples in a row: their shares are nearer than chance has them' \
	awk '$1 < 0.5 { near = 1 } END { exit !near }' "$TMP/variance"
end "$pid"

# Two processes that fight for each CPU: the workload gets about half of one, so there are half as many samples.
background "$WORKLOAD/syscalls" 600
other=$pid
background "$WORKLOAD/spin_cxx" 600
another=$pid
background "$WORKLOAD/spin" --seconds 600
profile_enough "$TMP/beside" ".pid == $pid" -F 3989
truth 'next to busy processes' "$TMP/beside" ".pid == $pid"
end "$other"
end "$another"
end "$pid"

background "$WORKLOAD/spin" --seconds 600 --threads 8
profile_enough "$TMP/threads" ".pid == $pid" -F 3989
truth '8 threads' "$TMP/threads" ".pid == $pid"
end "$pid"

profile "$TMP/after" -F 3989 &
profiler=$!
sleep 1
background "$WORKLOAD/spin" --seconds 600
wait "$profiler"
truth 'started after tprof' "$TMP/after" ".pid == $pid"
end "$pid"

profile_enough "$TMP/launched" '.comm == "spin"' -F 3989 -- "$WORKLOAD/spin" --seconds 120
truth 'launched by tprof' "$TMP/launched" '.comm == "spin"' 0

done_testing
