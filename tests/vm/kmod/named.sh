# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=x86-64,next not=debug,race
# A program that ran before the start and the functions of the kernel have names, with the module as with perf.
. "${0%/*}/../lib/live.sh"

background "$WORKLOAD/spin" --seconds 3600
spin=$pid
if "$TPROF" top --engine kmod --json -F 997 --duration 2 >"$TMP/all" 2>"$TMP/stderr"; then
	closes 'all processes' "$TMP/all"
	is 'a program from before the start is named' \
		"$(jq "[.functions[] | select(.pid == $spin and .mode == \"user\")] |
		([.[] | select(.symbol | test(\"^(hot|warm|mild)$\")) | .weight] | add) / ([.[].weight] | add) > 0.95" \
		"$TMP/all")" true
	check 'functions of the kernel are named' [ "$(jq '[.functions[] | select(.mode == "kernel" and
		(.symbol | test("^[a-z_]")))] | length' "$TMP/all")" -ge 1 ]
else
	not_ok "all processes: $(cat "$TMP/stderr")"
fi

done_testing
