# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=x86-64,next seconds=120
# Kept samples from the streams of the module: all of them, in order, with the names of their functions.
. "${0%/*}/../lib/live.sh"

background "$WORKLOAD/spin" --seconds 3600
spin=$pid

# The stream of a CPU holds about 500 samples. Kernels with debugging checks take 5 to 10 s to print kallsyms, which
# tprof reads for the first samples. A round of spin is about as long as a sampling interval if a virtual CPU has half a
# real one, so 1,000 samples may carry only the information of 600: for these, ten points are five standard deviations.
rate='-F 149 --duration 12'
[ ! -e /proc/lockdep_stats ] || rate='-F 19 --duration 40'
# shellcheck disable=SC2086 # options are words
"$TPROF" run --json $rate -e cpu-clock -p "$spin" pass >"$TMP/lines" 2>"$TMP/stderr" ||
	not_ok 'run pass' "$(cat "$TMP/stderr")"
jq -s last "$TMP/lines" >"$TMP/json"
jq -c 'select(.sample).sample' "$TMP/lines" >"$TMP/samples"
is 'on the module' "$(jq -r .engine "$TMP/json")" kmod
is 'each sample that was kept is written' "$(wc -l <"$TMP/samples")" "$(ledger "$TMP/json" .kept)"
is 'what they weigh is what was kept' "$(jq -s 'map(.weight) | add' "$TMP/samples")" \
	"$(ledger "$TMP/json" .weight.kept)"
is 'there are some' "$(ledger "$TMP/json" '.kept > 200')" true
is 'none is lost' \
	"$(ledger "$TMP/json" '.lost | to_entries | map(select(.value > 0) | "\(.key) \(.value)") | join(" ")')" ''
is 'they are of the process that was asked for' "$(jq -r '"\(.pid) \(.comm)"' "$TMP/samples" | sort -u)" "$spin spin"
# The library sorts the samples of all CPUs in each read; a sample may arrive after a read, by the delay of an
# interrupt.
is 'the oldest come first' "$(jq -s '[range(1; length) as $i | .[$i - 1].time_ns - .[$i].time_ns] | max < 100e6' \
	"$TMP/samples")" true
is 'on one CPU, all of them do' \
	"$(jq -s 'group_by(.cpu) | map(map(.time_ns) | . == sort) | all' "$TMP/samples")" true
is 'the time is that of the clock' "$(jq -s --argjson now "$(awk '{ print $1 }' /proc/uptime)" \
	'last.time_ns / 1e9 | . > $now - 60 and . <= $now' "$TMP/samples")" true
within 'hot() has its share' "$(jq -s 'map(select(.mode == "user")) |
	(map(select(.symbol == "hot")) | length) * 100 / length' "$TMP/samples")" 50 10

# Text output into a pipe that is closed early is no failure.
"$TPROF" run --duration 5 -F 499 -p "$spin" pass 2>"$TMP/stderr" | head -n 3 >"$TMP/text"
is 'as text' "$(grep -Ec ' spin .* (user|kernel) ' "$TMP/text")" 3

# While the reader is stopped, samples that do not fit into the stream are lost, and are in the ledger. The rate fills
# the stream quickly, but leaves a slow machine time for other work.
rm "$TMP/lines"
"$TPROF" run --json --duration 300 -e cpu-clock -F 499 --set idle=1 pass >"$TMP/lines" 2>"$TMP/stderr" &
tprof=$!
check 'a reader that stops: has begun' await test -s "$TMP/lines"
kill -STOP $tprof
check 'a reader that stops: there is loss' \
	await awk 'NR > 1 && $8 > 0 { lost = 1 } END { exit !lost }' /sys/kernel/debug/tprof/sessions
continued=$(cut -d ' ' -f 1 /proc/uptime)
kill -CONT $tprof
# shellcheck disable=SC2016 # of jq
check 'a reader that stops: goes on reading' \
	await sh -c 'tail -n 2 "$0" | head -n 1 | jq -e "select(.sample).sample.time_ns / 1e9 > $1"' \
	"$TMP/lines" "$continued"
end $tprof
jq -s last "$TMP/lines" >"$TMP/json"
is 'a reader that stops: samples are lost for that reason' "$(ledger "$TMP/json" '.lost.stream_full > 0')" true
is 'a reader that stops: for no other' \
	"$(ledger "$TMP/json" '.lost | to_entries | map(select(.value > 0).key) | join(" ")')" stream_full
ledger_closes 'a reader that stops' "$TMP/json"
is 'a reader that stops: what was kept is written' "$(jq -c 'select(.sample)' "$TMP/lines" | wc -l)" \
	"$(ledger "$TMP/json" .kept)"

done_testing
