#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# engine_missed: BPF activity that keeps the perf engine from taking samples. Table reads by tprof itself do not, and
# appear in the profile; activity of others is reported in every output. tests/vm/guest/missed.sh tests programs on
# kprobes and tracepoints.
. "${0%/*}/../lib/live.sh"

# missed FILE: prints the share of engine_missed in all samples that were, or may have been, in scope, percent
missed() {
	jq -s 'map(.ledger.lost.engine_missed) | add' "$1" >"$TMP/part"
	jq -s --slurpfile part "$TMP/part" '100 * $part[0] / ((map(.ledger.done) | add) + $part[0])' "$1"
}

# A raw recording at 20 kHz makes tprof read many table entries, one for each sample.
background "$WORKLOAD/spin" --seconds 600 --threads 2
background "$TPROF" record --raw -F 20000 --duration 60 -o "$TMP/x.traw"
recorder=$pid
await_session_of "$recorder"
seconds=2 profile "$TMP/reader.json" -F 9970 --kernel-only -p "$recorder"
closes 'beside a recording' "$TMP/reader.json" 0
like 'while tables are read, samples are taken' \
	"$(samples_of "$TMP/reader.json" \
		'(.symbol | test("_tprof_(move|drain)$")) or .symbol == "bpf_for_each_hash_elem"')" \
	'^[1-9]'
is 'and none of what the kernel misses samples in' \
	"$(samples_of "$TMP/reader.json" '.symbol == "__htab_map_lookup_and_delete_batch"')" 0
end "$recorder"

# Programs on raw tracepoints have a recursion counter of their own and prevent no samples; bpf(2) on a map does.
for kind in raw_tp map; do
	"$TPROF" top -v --json -F 997 -- "$WORKLOAD/busy_bpf" $kind 2 >"$TMP/$kind.json" 2>"$TMP/$kind.stderr"
	is "$kind: exit code" $? 0
	ledger_closes "$kind" "$TMP/$kind.json"
done
check 'map: most samples are missed' test "$(missed "$TMP/map.json" | cut -d. -f1)" -ge 50
# The program runs nearly all the time: if it prevented samples, there would be none inside of it.
in_program='[.functions[] | select(.symbol | test("busy_bpf")).samples] | add // 0'
check 'raw_tp: most samples are taken while the program runs' \
	jq -se "(map($in_program) | add) > (map(.ledger.done) | add) / 2" "$TMP/raw_tp.json"
in_the_way='engine_missed: no BPF program that prevents samples was loaded at the start: .* read or change BPF maps'
like 'map: the cause is told' "$(cat "$TMP/map.stderr")" "^tprof: $in_the_way"
is 'map: once' "$(grep -c 'tprof: engine_missed' "$TMP/map.stderr")" 1
like 'map: in the JSON, too' "$(jq -r '.warnings // [] | .[]' "$TMP/map.json")" "$in_the_way"
like 'map: and what to do' "$(jq -r '.loss.text' "$TMP/map.json")" \
	'engine_missed \(use a lower rate: -F, or --engine kmod if'
like 'doctor looks for programs' "$("$TPROF" doctor)" '^(ok|absent) +bpf_programs '

done_testing
