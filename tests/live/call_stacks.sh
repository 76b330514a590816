#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=39
# Call stacks by frame pointers of programs whose calls are known: at least 97 % of the samples have the right call
# stack from the root to the leaf, and incomplete call stacks are marked.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/call_stacks.sh"

chains_seconds=1

known_chains perf

chains_record "$TMP/chains" perf -- "$WORKLOAD/spin_cxx" 2
chains_right 'C++' "$TMP/chains" '^spin_cxx;' \
	"spin_cxx;$chains_main;work::chain<unsigned long>::(hot|warm|mild)\\([^;]*\\)$chains_interrupt"
if [ -x "$WORKLOAD/spin_rust" ]; then
	chains_record "$TMP/chains" perf -- "$WORKLOAD/spin_rust" 2
	# The frames of the Rust library between main() and the main function of the program
	library='([^;]*(std|core)::[^;]*;)*'
	chains_right 'Rust' "$TMP/chains" '^spin_rust;' \
		"spin_rust;$chains_main;${library}spin_rust::main;spin_rust::work::(hot|warm|mild)$chains_interrupt"
else
	skip 'Rust' 'no rustc when the workloads were built'
fi

# The weight of a sample is the period, so the call stacks weigh as many periods as there are samples in scope.
for filter in stacks kstacks ustacks; do
	if "$TPROF" record --engine perf -c 1000000 --filter $filter --format folded -o "$TMP/chains" \
		-- "$WORKLOAD/syscalls" 1 2>"$TMP/stderr"; then
		is "$filter: the call stacks weigh what was counted" "$(chains_weight <"$TMP/chains")" \
			"$(sed -n 's/.*: \([1-9][0-9]*\) done,.*/\1000000/p' "$TMP/stderr")"
	else
		not_ok "$filter: the call stacks weigh what was counted" "$(cat "$TMP/stderr")"
	fi
	cp "$TMP/chains" "$TMP/$filter"
done
is 'kstacks: nothing of programs' "$(grep -E '[;](main|read);' "$TMP/kstacks")" ''
like 'kstacks: samples of programs stay' "$(cat "$TMP/kstacks")" '^syscalls;\[no stack\] [0-9]+$'
is 'ustacks: nothing of the kernel' "$(grep -E 'vfs_read|SYSCALL|do_syscall' "$TMP/ustacks")" ''

# A table for only four call stacks does not change the sum of their weights. spin has a call stack for each of its 48
# multiplications, spin_cxx hardly more than three: an interrupt waits for the multiplication of its loop.
# shellcheck disable=SC2086 # options are words
clang -g -O2 --target=bpf $FILTER_INCLUDE -c "${0%/*}/filters/few_stacks.bpf.c" -o "$TMP/few_stacks.bpf.o" ||
	bail 'cannot compile few_stacks'
"$TPROF" record --engine perf -c 1000000 --filter "$TMP/few_stacks.bpf.o" --format folded -o "$TMP/chains" \
	-- "$WORKLOAD/spin" --seconds 2 2>"$TMP/stderr" || bail "few_stacks: $(cat "$TMP/stderr")"
is 'table full: the call stacks weigh what was counted' "$(chains_weight <"$TMP/chains")" \
	"$(sed -n 's/.*: \([1-9][0-9]*\) done,.*/\1000000/p' "$TMP/stderr")"
like 'table full: the call stack says so' "$(cat "$TMP/chains")" '^spin;\[stack table full\]'
like 'table full: the ledger says so' "$(cat "$TMP/stderr")" '[1-9][0-9]* not stored \(table full\)'
is 'table full: --strict' "$(code "$TPROF" record --strict -c 1000000 --filter "$TMP/few_stacks.bpf.o" \
	--format folded -o "$TMP/chains" -- "$WORKLOAD/spin" --seconds 2)" 3

done_testing
