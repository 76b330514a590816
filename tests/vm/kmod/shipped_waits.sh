# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=x86-64,arm64,next all=arm64
# The module accepts the shipped filters for waits, all but offwake, and one whose reads of adjacent members the
# compiler merges.
. "${0%/*}/../lib/live.sh"

for filter in offcpu reasons runqlat stacks raw threads top wakers wakeups wall "${0%/*}/../filters/adjacent.bpf.o"; do
	name=$(basename "$filter" .bpf.o)
	"$TPROF" run "$filter" --engine kmod --json -e off-cpu -- sleep 0.1 >"$TMP/json" 2>"$TMP/stderr"
	is "$name: exit code" $? 0
	is "$name: the engine" "$(jq -r .engine "$TMP/json")" kmod
	ledger_closes "$name" "$TMP/json"
done

"$TPROF" run "${0%/*}/../filters/adjacent.bpf.o" --engine kmod --json --duration 0.3 >"$TMP/json" 2>"$TMP/stderr"
is 'samples: exit code' $? 0
check 'samples: rows' jq -e '.tables[] | select(.name == "samples").rows | length > 0' "$TMP/json"

done_testing
