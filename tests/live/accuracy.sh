#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A workload whose truth is known comes out within 2 points, whatever surrounds it. With 10,000 samples (10 s at 997 Hz)
# the standard deviation of 50 % is half a point, so 2 points are four of them; with 20,000 (5 s at 3,989 Hz), six. Not
# at rates near that of the workload's rounds, 2 kHz: a sample tends to be in the function of the one before it, so that
# 10,000 say as much as 6,400.
. "${0%/*}/../lib/live.sh"

background "$WORKLOAD/spin" --seconds 120
sleep 0.2
seconds=10 profile_enough "$TMP/alone" ".pid == $pid" -F 997
truth 'started before tprof' "$TMP/alone" ".pid == $pid"
end "$pid"

# Two processes that fight for each CPU: the workload gets about half of one, so there are half as many samples.
background "$WORKLOAD/syscalls" 120
other=$pid
background "$WORKLOAD/spin_cxx" 120
another=$pid
background "$WORKLOAD/spin" --seconds 120
profile_enough "$TMP/beside" ".pid == $pid" -F 3989
truth 'next to busy processes' "$TMP/beside" ".pid == $pid"
end "$other"
end "$another"
end "$pid"

background "$WORKLOAD/spin" --seconds 120 --threads 8
profile_enough "$TMP/threads" ".pid == $pid" -F 3989
truth '8 threads' "$TMP/threads" ".pid == $pid"
end "$pid"

profile "$TMP/after" -F 3989 &
profiler=$!
sleep 1
background "$WORKLOAD/spin" --seconds 120
wait "$profiler"
truth 'started after tprof' "$TMP/after" ".pid == $pid"
end "$pid"

profile_enough "$TMP/launched" '.comm == "spin"' -F 3989 -- "$WORKLOAD/spin" --seconds 120
truth 'launched by tprof' "$TMP/launched" '.comm == "spin"' 0

done_testing
