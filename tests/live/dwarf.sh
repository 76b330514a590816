#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=54
# Call stacks of programs without frame pointers, out of copies of their stacks: at least 97 % are right from the root
# to the leaf, and where the way up ends, it is said why.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/call_stacks.sh"

unknown_chains perf cpu-clock

# The caller of generated code was found by a frame pointer, and all say so: unknown_chains has recorded it last.
found=$(grep -E ' \(frame pointer\)[; ]' "$TMP/chains" | chains_weight)
"$TPROF" export --format json -i "$TMP/chains.pb.gz" -o "$TMP/json"
is 'frame pointers: the account, of the last recording' \
	"$(jq '.by_frame_pointer.weight > 0 and .by_frame_pointer.weight <= .ledger.weight.done' "$TMP/json")" true
like 'frame pointers: call stacks weigh' "$found" '^[1-9]'
like 'frame pointers: the command says so' "$(cat "$TMP/stderr")" 'callers of [1-9][0-9]* samples were found by frame'
like 'frame pointers: a report says so' "$("$TPROF" report -i "$TMP/chains.pb.gz")" \
	'^# callers of [1-9][0-9]* samples \([0-9.]+%\) were found by frame pointers'
"$TPROF" flame -i "$TMP/chains.pb.gz" -o "$TMP/flame.html"
like 'frame pointers: a page says so' "$(cat "$TMP/flame.html")" \
	'run_framed \(frame pointer\)'

chains_dwarf 'C++' '^spin_cxx;' \
	"spin_cxx;$chains_main;work::chain<unsigned long>::(hot|warm|mild)\\([^;]*\\)$chains_interrupt" \
	-- "$OMIT_FP/spin_cxx" 2
work='(;attempt<3>[^;]*;attempt<2>[^;]*;guard::~guard|;caught)'
chains_dwarf 'C++: exceptions' ';(guard::|caught)' \
	"throws;$chains_main;run\\(\\)[^;]*$work\\([^;]*$chains_interrupt" -- "$OMIT_FP/throws" 1

# Most programs have no frame pointers; then callers are missing, and what is there may be wrong.
chains_record "$TMP/chains" perf -- "$OMIT_FP/calls" 10 2
is 'by frame pointers: not one call stack is whole' "$(grep -E ';main(;even;odd){5};bottom( |;)' "$TMP/chains")" ''

# What a compiler writes down may stand in .debug_frame alone, or nowhere.
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

# 32-bit programs of x86, without a C library: compilers bring no other 32-bit parts by themselves.
if [ "$(uname -m)" = x86_64 ]; then
	cc -m32 -O2 -fomit-frame-pointer -fno-optimize-sibling-calls -ffreestanding -fno-pic -no-pie -static -nostdlib \
		tests/live/programs/compat32.c -o "$TMP/compat32" || bail 'cannot build compat32'
	chains_dwarf 'a 32-bit program' ';bottom[; ]' \
		"compat32;_start;main32;run(;even;odd){3};even;bottom$chains_interrupt" -- "$TMP/compat32"
	# In the system call, not on the way there.
	chains_dwarf 'a 32-bit program in a system call' ';\[vdso32[^;]*;entry_' \
		"compat32;_start;main32;run;call_kernel;\\[vdso32[^;]*(;[^;]*)*" -- "$TMP/compat32" call
fi

# A program that is gone from its directory, and was the only one of its kind.
cp "$OMIT_FP/calls" "$TMP/gone"
# shellcheck disable=SC2016 # for the other shell
chains_dwarf 'deleted' ';bottom[; ]' "3;$chains_main(;even;odd){5};bottom$chains_interrupt" \
	-- sh -c 'cd "$1" && exec 3<gone && rm gone && exec /proc/self/fd/3 10 2' sh "$TMP"

# While tprof is stopped, the ring runs full: the samples stay, in call stacks that say so.
background "$OMIT_FP/spin" --seconds 600
"$TPROF" record --engine perf --call-graph dwarf,65528 -F 997 -p "$pid" -o "$TMP/a.pb.gz" 2>"$TMP/stderr" &
recorder=$!
await_session_of $recorder
works "$pid" 1000
kill -STOP $recorder
# At 65 KiB each, more than 64 MiB
works "$pid" 2000
kill -CONT $recorder
sleep 0.2
kill -INT $recorder
wait $recorder
"$TPROF" export --format folded -i "$TMP/a.pb.gz" -o "$TMP/chains" || bail 'no export'
weighs 'ring full' "$(weight_done "$TMP/a.pb.gz")"
like 'ring full: the call stack says so' "$(cat "$TMP/chains")" '^spin;\[stack table full\];hot [0-9]+$'
is 'ring full: no sample lacks the function that ran' "$(grep -E '^spin;[^;]*\] [0-9]+$' "$TMP/chains")" ''
like 'ring full: call stacks while there was room' "$(cat "$TMP/chains")" \
	'^spin;.*;main;work_in_threads;work;hot [0-9]+$'
like 'ring full: the account says so' "$(cat "$TMP/stderr")" '[1-9][0-9]* not stored \(table full\)'

# A filter of one's own that copies, and nothing else of stacks
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
wrong dwarf,1016 'out of range'
wrong dwarf,65536 'out of range'
wrong dwarf,8196 'not a multiple of 8'
wrong fp,8192 'takes no size'
wrong dwarves 'not a method to find callers'
refuses '--set stack_bytes' 2 'a stack copy cannot have 12 bytes' \
	"$TPROF" record --duration 1 -o "$TMP/x" --filter dwarf --set stack_bytes=12

done_testing
