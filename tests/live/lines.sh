#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=11
# Source lines and inlined functions, with --lines and --inline: in `tprof record`, in all commands that read its file,
# and in `tprof top`.
. "${0%/*}/../lib/live.sh"

source=tests/workload/inlined.c

# line_of TEXT: prints the line number of a text in the source
line_of() {
	grep -nF "$1" "$source" | head -n 1 | cut -d : -f 1
}
first=$(line_of 'x = x * 6364136223846793005u') second=$(line_of 'x = x * 3935559000370003845u')
loop="$first|$second|$(line_of 'for (int i = 0; i < 1000; i++) {')"
called=$(line_of 'return innermost(x) + 1') outer=$(line_of 'x = middle(x)')
begin=$(line_of 'uint64_t innermost')

# record FILE OPTION...
record() {
	record_file=$1
	shift
	"$TPROF" record -F 997 -o "$record_file" "$@" -- "$WORKLOAD/inlined" 0.5 2>"$TMP/stderr" ||
		diag "tprof record $*: $(cat "$TMP/stderr")"
}

# report FILE BY JQ
report() {
	"$TPROF" report -i "$1" --by "$2" --json --call-graph callers --percent-limit 5 | jq -r "$3"
}

record "$TMP/both.pb.gz" --lines --inline
run='[.rows[] | select(.self.percent > 5 and .inlined) | .callers.run[:3][]'
is 'frames of inlined functions' "$(report "$TMP/both.pb.gz" function "$run | .name] | unique | join(\" \")")" \
	'innermost middle outer'
is 'marked as such' "$(report "$TMP/both.pb.gz" function "$run | select(.inlined).name] | unique | join(\" \")")" \
	'innermost middle'
is 'lines' "$(report "$TMP/both.pb.gz" line "$run | \"\\(.name):\\(.line)\"] | unique | join(\" \")" | tr ' ' '\n' |
	grep -vxE "innermost:($loop)" | paste -sd' ')" "middle:$called outer:$outer"
is 'the file' "$(report "$TMP/both.pb.gz" line "$run | .file | sub(\".*/\"; \"\")] | unique | join(\" \")")" inlined.c
like 'text' "$("$TPROF" report -i "$TMP/both.pb.gz" --by line -n 1 | tail -n 2)" \
	" innermost \\(inlined\\) inlined\\.c:($loop) "
like 'text by function' "$("$TPROF" report -i "$TMP/both.pb.gz" -n 1 | tail -n 2)" ' innermost \(inlined\) +inlined'

# The sums are the same with and without lines.
sum='.ledger.aggregated == .total.samples and .total.samples == ([.rows[].self.samples] | add) + .omitted.samples'
is 'nothing is lost: functions' "$("$TPROF" report -i "$TMP/both.pb.gz" --json | jq "$sum")" true
is 'nothing is lost: lines' "$("$TPROF" report -i "$TMP/both.pb.gz" --by line --json | jq "$sum")" true

"$TPROF" export -i "$TMP/both.pb.gz" -o "$TMP/both.speedscope.json" --format speedscope
is 'speedscope: where functions begin' "$(jq -r '.shared.frames[] | select(.name == "innermost") |
	"\(.file | sub(".*/"; "")):\(.line)"' "$TMP/both.speedscope.json")" "inlined.c:$begin"
"$TPROF" flame -i "$TMP/both.pb.gz" -o "$TMP/both.html" 2>"$TMP/stderr"
like 'flame: where functions begin' \
	"$(grep -o '\["innermost (inlined)"[^]]*' "$TMP/both.html")" "/inlined\\.c:$begin\"\$"

if command -v go >"$TMP/go" 2>&1; then
	go tool pprof -top -lines "$TMP/both.pb.gz" >"$TMP/pprof" 2>&1
	like 'go tool pprof: lines' "$(cat "$TMP/pprof")" "innermost .*/inlined\\.c:($loop) \\(inline\\)"
	go tool pprof -list 'outer|middle' "$TMP/both.pb.gz" >"$TMP/pprof" 2>&1
	like 'go tool pprof: listing' "$(cat "$TMP/pprof")" "[0-9.]+m?s +$called:.*return innermost\\(x\\) \\+ 1;"
else
	skip 'go tool pprof: lines' 'no go'
	skip 'go tool pprof: listing' 'no go'
fi

# Without the options there are no lines and no inlined functions.
record "$TMP/none.pb.gz"
like 'neither' "$(report "$TMP/none.pb.gz" line '[.rows[0] | .name, .file, .inlined] | join(" ")')" '^outer +$'
record "$TMP/lines.pb.gz" --lines
is 'lines alone: where it was called' \
	"$(report "$TMP/lines.pb.gz" line '.rows[0] | "\(.name):\(.line)"')" "outer:$outer"
record "$TMP/inline.pb.gz" --inline
like 'inlined functions alone' "$(report "$TMP/inline.pb.gz" line '[.rows[0] | .name, .file, .inlined] | join(" ")')" \
	'^innermost +true$'
is '--inline without call stacks' "$("$TPROF" record --inline --call-graph none -o "$TMP/x" -- true 2>"$TMP/stderr"
	echo $?)" 2
like '--inline without call stacks: why' "$(cat "$TMP/stderr")" 'call stacks'

# Without debug information there are functions, but no lines.
cp "$WORKLOAD/inlined" "$TMP/bare"
strip --strip-debug "$TMP/bare"
"$TPROF" record --lines --inline -F 997 -o "$TMP/bare.pb.gz" -- "$TMP/bare" 0.5 2>"$TMP/stderr"
like 'no debug information' \
	"$(report "$TMP/bare.pb.gz" line '[.rows[0] | .name, .file, .inlined] | join(" ")')" '^outer +$'

# In `tprof top` the rows are lines.
background "$WORKLOAD/inlined" 600
spinner=$pid
seconds=1 profile "$TMP/top.json" --lines --inline -p "$spinner" -F 997
closes 'top' "$TMP/top.json" 0
is 'top: by line' "$(jq -r '[.functions[] | select(.symbol == "innermost" and .inlined) | .line] | unique | join(" ")' \
	"$TMP/top.json" | tr ' ' '\n' | grep -cx -e "$first" -e "$second")" 2
seconds=1 profile "$TMP/top.json" --lines -p "$spinner" -F 997
is 'top: lines alone' "$(jq -r '.functions[0] | "\(.symbol):\(.line)"' "$TMP/top.json")" "outer:$outer"
like 'top: text' "$("$TPROF" top --batch --lines --duration 1 -F 997 -p "$spinner")" " outer inlined\\.c:$outer "
end "$spinner"

done_testing
