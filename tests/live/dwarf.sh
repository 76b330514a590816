#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=54
# Call stacks of programs without frame pointers, unwound from copies of their stacks: at least 97 % are right from the
# root to the leaf, and a call stack that ends early has the reason.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/call_stacks.sh"

chains_seconds=1

unknown_chains perf cpu-clock

# In the last recording of unknown_chains, the caller of generated code is found by a frame pointer, and marked so.
found=$(grep -E ' \(frame pointer\)[; ]' "$TMP/chains" | chains_weight)
"$TPROF" export --format json -i "$TMP/chains.pb.gz" -o "$TMP/json"
is 'frame pointers: the ledger, of the last recording' \
	"$(jq '.by_frame_pointer.weight > 0 and .by_frame_pointer.weight <= .ledger.weight.done' "$TMP/json")" true
like 'frame pointers: call stacks weigh' "$found" '^[1-9]'
like 'frame pointers: the command says so' "$(cat "$TMP/stderr")" 'callers of [1-9][0-9]* samples were found by frame'
like 'frame pointers: a report says so' "$("$TPROF" report -i "$TMP/chains.pb.gz")" \
	'^# callers of [1-9][0-9]* samples \([0-9.]+%\) were found by frame pointers'
"$TPROF" flame -i "$TMP/chains.pb.gz" -o "$TMP/flame.html"
like 'frame pointers: a page says so' "$(cat "$TMP/flame.html")" \
	'run_framed \(frame pointer\)'

is 'dwarf: the other method is not named' "$(grep -c 'callers are missing' "$TMP/stderr")" 0

chains_dwarf 'C++' '^spin_cxx;' \
	"spin_cxx;$chains_main;work::chain<unsigned long>::(hot|warm|mild)\\([^;]*\\)$chains_interrupt" \
	-- "$OMIT_FP/spin_cxx" 2
work='(;attempt<3>[^;]*;attempt<2>[^;]*;guard::~guard|;caught)'
chains_dwarf 'C++: exceptions' ';(guard::|caught)' \
	"throws;$chains_main;run\\(\\)[^;]*$work\\([^;]*$chains_interrupt" -- "$OMIT_FP/throws" 1

# With --call-graph fp, call stacks of programs without frame pointers lack callers, and may have wrong ones.
chains_record "$TMP/chains" perf -- "$OMIT_FP/calls" 10 2
like 'by frame pointers: the command names the other method' "$(cat "$TMP/stderr")" \
	'^tprof: callers are missing in [0-9]+ % of the samples with user code, .*: --call-graph dwarf finds them$'
is 'by frame pointers: not one call stack is whole' "$(grep -E ';main(;even;odd){5};bottom( |;)' "$TMP/chains")" ''

# The unwind table may be in .debug_frame only, or missing.
build() {
	cc -O2 -fomit-frame-pointer -fno-optimize-sibling-calls -fno-asynchronous-unwind-tables -fno-unwind-tables \
		"$@" tests/workload/calls.c || bail "cannot build calls: $*"
}
build -g -o "$TMP/debug"
cp "$TMP/debug" "$TMP/stripped"
objcopy --only-keep-debug "$TMP/stripped" "$TMP/stripped.debug"
strip "$TMP/stripped"
objcopy "--add-gnu-debuglink=$TMP/stripped.debug" "$TMP/stripped"
chains_dwarf '.debug_frame in a debug file' ';bottom[; ]' \
	"stripped;$chains_main(;even;odd){5};bottom$chains_interrupt" -- "$TMP/stripped" 10 2
build -o "$TMP/bare"
chains_dwarf 'no frame information: the leaf, and a mark' ';bottom[; ]' \
	"bare;\\[cannot unwind\\];bottom$chains_interrupt" -- "$TMP/bare" 10 2

# A program whose only file is deleted before it runs, each time anew if there are too few samples.
# shellcheck disable=SC2016 # for the other shell
chains_dwarf 'deleted' ';bottom[; ]' "3;$chains_main(;even;odd){5};bottom$chains_interrupt" \
	-- sh -c 'cd "$1" && cp "$2" gone && exec 3<gone && rm gone && exec /proc/self/fd/3 10 2' sh "$TMP" \
	"$(realpath "$OMIT_FP/calls")"

# While tprof is stopped, the ring for stack copies becomes full: the samples count, with marked call stacks.
background "$OMIT_FP/spin" --seconds 600
"$TPROF" record --engine perf --call-graph dwarf,65528 -F 997 -p "$pid" -o "$TMP/a.pb.gz" 2>"$TMP/stderr" &
recorder=$!
await_session_of $recorder
works "$pid" 1000
kill -STOP $recorder
# 2 s of samples with 64 KiB each exceed the ring of 64 MiB.
works "$pid" 2000
kill -CONT $recorder
sleep 0.2
kill -INT $recorder
wait $recorder
"$TPROF" export --format folded -i "$TMP/a.pb.gz" -o "$TMP/chains" || bail 'no export'
weighs 'ring full' "$(weight_done "$TMP/a.pb.gz")"
like 'ring full: the call stack says so' "$(cat "$TMP/chains")" '^spin;\[stack table full\];hot [0-9]+$'
is 'ring full: no sample lacks the function that ran' "$(grep -E '^spin;[^;]*\] [0-9]+$' "$TMP/chains")" ''
like 'ring full: call stacks while it had capacity' "$(cat "$TMP/chains")" \
	'^spin;.*;main;work_in_threads;work;hot [0-9]+$'
like 'ring full: the ledger says so' "$(cat "$TMP/stderr")" '[1-9][0-9]* not stored \(table full\)'

# The ring is mapped once, and behind its end only as much as one record needs: resident memory counts each mapping.
ring_mapping() {
	awk '/bpf-map$/ { print $1 }' "/proc/$1/maps" | while IFS=- read -r from to; do
		echo $((0x$to - 0x$from))
	done | sort -n | tail -n 1
}
background "$TPROF" record --engine perf -e cpu-clock -F 997 --call-graph dwarf -o "$TMP/x" -- "$OMIT_FP/calls" 3 60
await_session_of "$pid"
mapping=$(ring_mapping "$pid")
# BPF_MAP_TYPE_RINGBUF is 27.
size=$(grep -lE '^map_type:[[:space:]]*27$' "/proc/$pid/fdinfo/"* | xargs sed -n 's/^max_entries:[[:space:]]*//p' |
	sort -n | tail -n 1)
end "$pid"
check 'the ring is mapped' [ "$mapping" -gt "$size" ]
at_most 'the ring is mapped once: bytes beyond its size' $((mapping - size)) 81920

# A user's filter that copies stacks, without other call stacks
# shellcheck disable=SC2086 # options are words
clang -g -O2 --target=bpf $FILTER_INCLUDE -c "${0%/*}/filters/copies.bpf.c" -o "$TMP/copies.bpf.o" ||
	bail 'cannot compile copies'
"$TPROF" run --engine perf --duration 1 -F 997 --json "$TMP/copies.bpf.o" -- "$OMIT_FP/calls" 3 \
	>"$TMP/json" 2>"$TMP/stderr"
like 'copies: call stacks in keys' "$(jq -r '.tables[].rows[].key' "$TMP/json")" \
	'user=[^ ]*main;even;odd;even;bottom tgid=calls'
is 'copies: each one counted is in a table' \
	"$(jq -r '([.tables[].rows[].samples] | add) - .ledger.aggregated' "$TMP/json")" 0

# wrong VALUE SENTENCE
wrong() {
	refuses "--call-graph $1" 2 "$2" "$TPROF" record --duration 1 -o "$TMP/x" --call-graph "$1"
}
wrong dwarf, 'not a whole number'
wrong dwarf,8k 'not a whole number'
wrong dwarf,0 "'0' is out of range"
for bytes in 1016 65536 8196; do
	wrong dwarf,$bytes "--call-graph: filter dwarf: a stack copy cannot have $bytes bytes"
	like "dwarf,$bytes: what can be given" "$(cat "$TMP/stderr")" '^hint: .*multiple of 8 from 1024 to 65528$'
done
wrong fp,8192 'takes no size'
wrong dwarves 'not a method to find callers'
refuses '--set stack_bytes' 2 'filter dwarf: a stack copy cannot have 12 bytes' \
	"$TPROF" record --duration 1 -o "$TMP/x" --filter dwarf --set stack_bytes=12

done_testing
