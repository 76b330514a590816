#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Samples of BPF programs that are loaded and unloaded during a session have the names of the programs, although they
# were loaded after kallsyms was read, and unloaded before the samples are symbolized.
. "${0%/*}/../lib/live.sh"

# shellcheck disable=SC2046 # words
cc -O2 -D_GNU_SOURCE "${0%/*}/programs/bpf_run.c" $(pkg-config --libs libbpf) -o "$TMP/bpf_run" ||
	bail 'cannot build bpf_run'

# report FILE JQ
report() {
	"$TPROF" report -i "$1" --json | jq -r "$2"
}

"$TPROF" record -o "$TMP/one.pb.gz" -F 997 --kernel-only -- "$TMP/bpf_run" first_one 500 2>"$TMP/stderr"
is 'recorded' $? 0
like 'it has its name' "$(report "$TMP/one.pb.gz" '.rows[0] | "\(.object) \(.name) \(.self.percent > 50)"')" \
	'^\[bpf\] bpf_prog_[0-9a-f]{16}_first_one true$'
is 'nothing has none' "$(report "$TMP/one.pb.gz" \
	'[.rows[] | select(.name == "[unknown kernel function]").total.samples] | add // 0')" 0

# The kernel calls the program through a retpoline. While the thunk runs, the stack has the address of the program in
# place of a return address; the caller of the thunk must still have a name.
"$TPROF" record -o "$TMP/short.pb.gz" -F 9970 --kernel-only -- "$TMP/bpf_run" short 1000 1 2>"$TMP/stderr"
is 'a short one is recorded' $? 0
is 'what calls it has a name' "$(report "$TMP/short.pb.gz" \
	'[.rows[] | select(.name == "[unknown kernel function]").total.samples] | add // 0')" 0
like 'no other program was there' "$(report "$TMP/short.pb.gz" \
	'[.rows[] | select(.object == "[bpf]").name] | join(" ")')" '^bpf_prog_[0-9a-f]{16}_short$'

# Several programs, one after the other, in a session that reads kallsyms at its first interval. Each runs for some
# intervals: in the two intervals after it is unloaded, a program at the same address cannot be told from it.
"$TPROF" top --json -d 0.3 -F 997 --kernel-only -- sh -c \
	"'$TMP/bpf_run' early 1500; '$TMP/bpf_run' middle 1500; '$TMP/bpf_run' late 1500" \
	>"$TMP/top.json" 2>"$TMP/stderr"
names=$(jq -r '.functions[] | select(.object == "[bpf]").symbol' "$TMP/top.json" | sort -u)
for name in early middle late; do
	like "$name" "$names" "^bpf_prog_[0-9a-f]{16}_$name\$"
done
# Two programs at the same address within an interval appear as `[BPF programs]`.
is 'each has its own or none' \
	"$(echo "$names" | grep -cvE '^\[BPF programs\]$|^bpf_prog_[0-9a-f]{16}(_.*)?$')" 0
is 'nothing has none, too' "$(jq -s '[.[].functions[] |
	select(.symbol == "[unknown kernel function]").samples] | add // 0' "$TMP/top.json")" 0

done_testing
