#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A workload whose truth is known comes out within 2 points, whatever surrounds it. With 20,000 samples (20 s at 997 Hz,
# 5 s at 3,989 Hz) the standard deviation of 50 % is a third of a point, so 2 points are six of them. Where the rate is
# near that of the workload's rounds, 2 kHz and half of that on a slow machine, a sample tends to be in the function of
# the one before it, so that 20,000 say as much as 13,000: five. At rates well above, more than without.
. "${0%/*}/../lib/live.sh"

background "$WORKLOAD/spin" --seconds 600
sleep 0.2
seconds=20 enough=18000 profile_enough "$TMP/alone" ".pid == $pid" -F 997
truth 'started before tprof' "$TMP/alone" ".pid == $pid"
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
