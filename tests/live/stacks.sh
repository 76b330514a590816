#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=32
# A filter with call stacks on the perf engine has complete call stacks, and does not spend time at the start on code
# for the module.
. "${0%/*}/../lib/live.sh"

for filter in stacks few_stacks; do
	# shellcheck disable=SC2086 # options are words
	clang -g -O2 --target=bpf $FILTER_INCLUDE -c "${0%/*}/filters/$filter.bpf.c" -o "$TMP/$filter.bpf.o" ||
		bail "cannot compile $filter"
done

background "$WORKLOAD/spin" --seconds 600
spin=$pid
background "$WORKLOAD/syscalls"
syscalls=$pid

"$TPROF" run --engine perf --json --duration 2 -F 997 -vv "$TMP/stacks.bpf.o" >"$TMP/json" 2>"$TMP/stderr" ||
	bail "stacks: $(tail -n 5 "$TMP/stderr")"
ledger_closes 'stacks' "$TMP/json"
jq -r '.tables[].rows[].key' "$TMP/json" >"$TMP/keys"
like 'user call stacks, root first' "$(cat "$TMP/keys")" 'user=.*main;.*hot kernel=\[no stack\].*tgid=spin'
like 'kernel call stacks, root first' "$(cat "$TMP/keys")" 'kernel=.*do_syscall_64;.* tgid=syscalls'

# Calls of kfuncs of the module never run here; reading the BTF of the kernel for them would take longer than the rest
# of the start.
like 'libbpf tells what it does' "$(cat "$TMP/stderr")" "libbpf: map 'chains_a': created"
is "libbpf does not read the kernel's types" "$(grep -c 'kernel BTF' "$TMP/stderr")" 0
is 'libbpf has nothing to complain of' "$(grep -c 'libbpf: .*\(BTF.*\(fail\|error\|skip\)\|ksym\)' "$TMP/stderr")" 0

# If the table has only 4 call stacks, the other samples still count, under a name of their own.
"$TPROF" run --engine perf --json --duration 2 -F 997 "$TMP/few_stacks.bpf.o" >"$TMP/json" 2>"$TMP/stderr" ||
	bail "few_stacks: $(tail -n 5 "$TMP/stderr")"
is 'stack table full: each sample is counted' "$(ledger "$TMP/json" '.done - .idle - .aggregated')" 0
is 'stack table full: and is in the table' \
	"$(jq -r '([.tables[].rows[].samples] | add) - .ledger.aggregated' "$TMP/json")" 0
is 'stack table full: the ledger says so' "$(ledger "$TMP/json" '.table_full > 0')" true
like 'stack table full: the key says so' "$(jq -r '.tables[].rows[].key' "$TMP/json")" \
	'kernel=\[no stack\] user=\[stack table full\] tgid=spin'

end "$syscalls"

# The functions of a profile are the leaves of its call stacks.
walks=1
in_user=$(user_mode_of "$spin")
profile_enough "$TMP/json" "$in_user" -F 3989 --filter stacks
truth 'top --filter stacks' "$TMP/json" "$in_user"
profile_enough "$TMP/json" '.mode == "user"' -F 3989 -p "$spin" --filter ustacks
truth 'top --filter ustacks' "$TMP/json" '.mode == "user"' 0

done_testing
