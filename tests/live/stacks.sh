#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A filter with call stacks on the perf engine: whole chains, and none of the start that the module's half would cost.
. "${0%/*}/../lib/live.sh"

# shellcheck disable=SC2086 # options are words
clang -g -O2 --target=bpf $FILTER_INCLUDE -c "${0%/*}/filters/stacks.bpf.c" -o "$TMP/stacks.bpf.o" ||
	bail 'cannot compile stacks'

background "$WORKLOAD/spin" --seconds 60
background "$WORKLOAD/syscalls"

"$TPROF" run --engine perf --json --duration 2 -F 997 -vv "$TMP/stacks.bpf.o" >"$TMP/json" 2>"$TMP/stderr" ||
	bail "stacks: $(tail -n 5 "$TMP/stderr")"
is 'the ledger closes' \
	"$(ledger "$TMP/json" '.fired - .out_of_scope - .decimated - .done - .kept - ([.lost[]] | add)')" 0
jq -r '.tables[].rows[].key' "$TMP/json" >"$TMP/keys"
like 'user chains, root first' "$(cat "$TMP/keys")" 'user=.*main;.*hot kernel=\[no stack\].*tgid=spin'
like 'kernel chains, root first' "$(cat "$TMP/keys")" 'kernel=.*do_syscall_64;.* tgid=syscalls'

# Calls of the module's functions are never run here; reading the kernel's types for them would take longer than the
# rest of the start.
like 'libbpf tells what it does' "$(cat "$TMP/stderr")" "libbpf: map 'chains_a': created"
is "libbpf does not read the kernel's types" "$(grep -c 'kernel BTF' "$TMP/stderr")" 0
is 'libbpf has nothing to complain of' "$(grep -c 'BTF.*\(fail\|error\|skip\)\|ksym' "$TMP/stderr")" 0

done_testing
