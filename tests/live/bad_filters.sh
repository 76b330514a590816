#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=34 sanitized=only
# `tprof run` and `tprof filter check` refuse objects that are no valid filters, with the reason.
. "${0%/*}/../lib/live.sh"

for source in "${0%/*}"/filters/*.bpf.c; do
	name=${source##*/}
	# shellcheck disable=SC2086 # options are words
	clang -g -O2 --target=bpf $FILTER_INCLUDE -c "$source" -o "$TMP/${name%.c}.o" || bail "cannot compile $name"
done

# bad WHAT OBJECT CODE SENTENCE
bad() {
	refuses "run: $1" "$3" "$4" "$TPROF" run --duration 1 "$TMP/$2"
	"$TPROF" filter check "$TMP/$2" >"$TMP/$2.said" 2>&1
	is "filter check: $1: fails" "$([ $? -ne 0 ] && echo yes)" yes
	like "filter check: $1: says why" "$(cat "$TMP/$2.said")" "$4"
}

echo 'TPROF_FILTER(text, s) { return TPROF_DONE; }' >"$TMP/text.bpf.o"
: >"$TMP/empty.bpf.o"
head -c 700 "$TMP/endless.bpf.o" >"$TMP/truncated.bpf.o"
cp "$WORKLOAD/spin" "$TMP/program.bpf.o"

bad 'not ELF' text.bpf.o 2 'text.bpf.o: not a compiled filter'
bad 'empty file' empty.bpf.o 2 'empty.bpf.o: not a compiled filter'
bad 'truncated' truncated.bpf.o 2 'truncated.bpf.o: not a compiled filter'
bad 'a program of this machine' program.bpf.o 2 'program.bpf.o: not a'
bad 'BPF, but no filter' not_a_filter.bpf.o 2 'not_a_filter.bpf.o: not a tprof filter'
bad 'TPROF_WAKEUP() alone' lone_wakeup.bpf.o 2 'has TPROF_WAKEUP.alone, w., but no TPROF_FILTER.alone, s.'
bad 'TPROF_OFFCPU() alone' lone_offcpu.bpf.o 2 'has TPROF_OFFCPU.alone, w., but no TPROF_FILTER.alone, s.'
bad 'another ABI' other_abi.bpf.o 2 'other_abi.bpf.o: compiled for version 4711 of the filter ABI'
bad 'headers of another tprof' other_layout.bpf.o 2 'other_layout.bpf.o: compiled with the headers of another tprof'
bad 'no license' unlicensed.bpf.o 2 '[Ll]icen[cs]e|GPL'
bad 'sleepable program' sleepable.bpf.o 2 'sleep'
bad 'endless loop' endless.bpf.o 2 'endless'
like 'long loop in the code for waits: filter check' "$("$TPROF" filter check "$TMP/endless_wait.bpf.o")" \
	'engine perf: refused: the filter executes too many instructions'
refuses 'long loop in the code for waits' 2 'too many instructions' \
	"$TPROF" run --off-cpu --duration 1 "$TMP/endless_wait.bpf.o"
bad 'index without a limit' unbounded.bpf.o 2 'an index or a length is not bounded'
bad 'key with too many members' many_members.bpf.o 2 'a table has too many members, the maximum is 32'
bad 'table too large' too_large.bpf.o 2 'table counts .*too large'

# parameter SENTENCE VALUE
parameter() {
	refuses "--set $2" 2 "$1" "$TPROF" run --duration 1 "$TMP/parameters.bpf.o" --set "$2"
}

parameter 'parameter flag: 2 does not fit into _Bool' flag=2
parameter 'parameter flag: -1 does not fit into _Bool' flag=-1
parameter 'parameter flag: true is not a number' flag=true
parameter 'parameter small: 128 does not fit into' small=128
parameter 'parameter small: -129 does not fit into' small=-129
parameter 'parameter wide: 18446744073709551616 does not fit into __u64' wide=18446744073709551616
parameter 'parameter wide: 1[?] is not a number' "$(printf 'wide=1\001')"
check '--set: the largest values' "$TPROF" run --duration 0.1 "$TMP/parameters.bpf.o" \
	--set flag=1 --set small=-128 --set wide=0xffffffffffffffff

# The log of the verifier has hundreds of lines; only the relevant lines are printed.
lines=$(wc -l <"$TMP/endless.bpf.o.said")
at_most 'filter check: the verifier is cut short' "$lines" 40
like 'filter check: the verifier says why' "$(cat "$TMP/endless.bpf.o.said")" \
	'infinite loop|too large|complex|unbounded'

# The samples of a filter that returns a wrong verdict count as lost, and the loss is reported. The workload ensures
# that there are samples.
background "$WORKLOAD/spin" --seconds 600
"$TPROF" run --json --duration 1 -F 997 "$TMP/bad_verdict.bpf.o" >"$TMP/json" 2>"$TMP/stderr"
is 'bad verdict: all samples are lost' \
	"$(jq -r '.ledger | .lost.bad_verdict > 0 and .done == 0 and .kept == 0' "$TMP/json")" true
is 'bad verdict: --strict says so' \
	"$(code "$TPROF" run --strict --duration 1 "$TMP/bad_verdict.bpf.o")" 3

done_testing
