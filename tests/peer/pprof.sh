#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# `go tool pprof` and `tprof report` show the same functions, weights and callers for a recording, and pprof shows the
# build IDs of the files.
. "${0%/*}/../lib/live.sh"

command -v go >/dev/null || skip_all 'no go'
MAKE_PROFILE=$BUILD/cli/make_profile

# Prints the rows of a table of pprof as "TOTAL SELF NAME", without a unit; pprof prints flat (self) before cum (total).
rows() {
	sed -nE 's/^ *([0-9]+)(ns|events)? +[0-9.]+% +[0-9.]+% +([0-9]+)(ns|events)? +[0-9.]+% +\|? *(.*)$/\3 \1 \5/p' |
		sort
}

# agrees NAME PROFILE
agrees() {
	go tool pprof -top -nodefraction=0 -nodecount=100000 -unit=ns "$2" >"$TMP/top" 2>"$TMP/stderr" ||
		not_ok "$1: pprof -top" "$(cat "$TMP/stderr")"
	"$TPROF" report -i "$2" --json | jq -r '.rows[] | "\(.total.weight) \(.self.weight) \(.name)"' |
		sort >"$TMP/wanted"
	is "$1: pprof -top" "$(rows <"$TMP/top")" "$(cat "$TMP/wanted")"
}

"$MAKE_PROFILE" small >"$TMP/small.pb.gz"
agrees small "$TMP/small.pb.gz"

background "$WORKLOAD/spin" --seconds 60
"$TPROF" record -g -F 997 --duration 2 -o "$TMP/spin.pb.gz" -p "$pid" 2>"$TMP/stderr" || diag "$(cat "$TMP/stderr")"
agrees recorded "$TMP/spin.pb.gz"
build_id=$(readelf -n "$WORKLOAD/spin" | sed -n 's/.*Build ID: //p')
[ -n "$build_id" ] || bail 'the workload has no build id'
is 'the build id is that of the file' "$(go tool pprof -raw "$TMP/spin.pb.gz" 2>/dev/null |
	sed -nE "s|^[0-9]+: 0x.*/spin ([0-9a-f]+) .*|\1|p")" "$build_id"
go tool pprof -peek '^hot$' -unit=ns "$TMP/spin.pb.gz" >"$TMP/peek" 2>/dev/null
# The caller of hot() is nearly always work(); a sample at the entry of hot(), before it has a frame, misses it.
"$TPROF" export -f folded -i "$TMP/spin.pb.gz" | awk '
	match($0, /[^;]+;hot[; ]/) { split(substr($0, RSTART, RLENGTH), pair, ";"); weight[pair[1]] += $NF }
	END { for (caller in weight) printf "%d %s\n", weight[caller], caller }' | sort >"$TMP/callers"
is 'pprof -peek: who called hot()' "$(sed -nE 's/^ +([0-9]+)ns +[0-9.]+% \| +(.*)$/\1 \2/p; / \| hot$/q' \
	"$TMP/peek" | sort)" "$(cat "$TMP/callers")"
like 'work() called hot()' "$(cat "$TMP/callers")" '^[0-9]+ work$'
hot=$("$TPROF" report -i "$TMP/spin.pb.gz" --json | jq -r '.rows[] | select(.name == "hot") | .total.weight')
# Without Graphviz, pprof can only write the input of dot.
picture=svg
command -v dot >/dev/null || picture=dot
go tool pprof -$picture -unit=ns "$TMP/spin.pb.gz" >"$TMP/picture" 2>"$TMP/stderr" || diag "$(cat "$TMP/stderr")"
like "pprof -$picture: the weight of hot()" "$(cat "$TMP/picture")" "[ >]${hot}ns"

# Of several events, each is a sample type of pprof, and a value of tprof.
"$TPROF" record -e cpu-clock,page-faults,context-switches -F 997 --duration 2 -o "$TMP/events.pb.gz" -p "$pid" \
	2>"$TMP/stderr" || diag "$(cat "$TMP/stderr")"
for event in cpu-clock page-faults context-switches; do
	go tool pprof -top -nodefraction=0 -nodecount=100000 -unit=ns -sample_index=$event "$TMP/events.pb.gz" \
		>"$TMP/top" 2>"$TMP/stderr" || not_ok "$event: pprof -top" "$(cat "$TMP/stderr")"
	"$TPROF" report -i "$TMP/events.pb.gz" --value $event --json |
		jq -r '.rows[] | "\(.total.weight) \(.self.weight) \(.name)"' | sort >"$TMP/wanted"
	is "several events: pprof -sample_index=$event" "$(rows <"$TMP/top" | grep -v '^0 0 ')" "$(cat "$TMP/wanted")"
done

# tprof reads files that pprof has made from files of tprof, and reports once that their ledger is lost.
"$MAKE_PROFILE" small other >"$TMP/other.pb.gz"
go tool pprof -proto -output "$TMP/merged.pb.gz" "$TMP/small.pb.gz" "$TMP/other.pb.gz" >/dev/null 2>&1
go tool pprof -proto -focus 'hot' -output "$TMP/focused.pb.gz" "$TMP/small.pb.gz" >/dev/null 2>&1
for what in merged focused; do
	agrees "$what by pprof" "$TMP/$what.pb.gz"
	is "$what by pprof: what is gone" "$("$TPROF" report -i "$TMP/$what.pb.gz" 2>&1 >/dev/null |
		grep -c 'its ledger is ignored')" 1
done
"$TPROF" merge "$TMP/small.pb.gz" "$TMP/other.pb.gz" -o "$TMP/both.pb.gz"
agrees 'merged by tprof' "$TMP/both.pb.gz"
is 'merged by tprof and by pprof: the same' "$("$TPROF" export "$TMP/both.pb.gz" -f folded | sort)" \
	"$("$TPROF" export "$TMP/merged.pb.gz" -f folded 2>/dev/null | sort)"
done_testing
