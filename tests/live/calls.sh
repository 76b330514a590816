#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=8
# `tprof top -g` shows callers and callees of the selected function with the known shares, and the table and the ledger
# stay correct.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/screen.sh"

background "$WORKLOAD/callers" 600
callers=$pid

# part NAME: prints the share of a caller or callee below the table
part() {
	screen | sed -n '/CALLERS OF/,$p' | sed -n "s/^ *\\([0-9.]*\\) % *$1 *\$/\\1/p"
}

# Succeeds with 9,000 samples: for a share of 75 %, 2 points are then more than four standard deviations.
enough() {
	screen | sed -n '1s/.* \([0-9.]*k*\) samples.*/\1/p' | sed 's/\.//; s/k$/00/' |
		awk '$1 >= 9000 { print "enough" }'
}

panes() {
	screen | grep -c 'CALLE[RE]S OF'
}

terminal 120 30 "$TPROF top -g -d 0.5 -F 3989 --engine perf -p $callers"
shows 'the function that does the work' '^> *[0-9.]+ % .* shared '
keys a c
shows 'c: callers' '^ CALLERS OF shared  callers'
comes enough enough
within 'the caller that has three quarters' \
	"$(awk -v a="$(part often)" -v b="$(part seldom)" 'BEGIN { print a * 100 / (a + b) }')" 75 2
within 'all of it has callers' "$(awk -v a="$(part often)" -v b="$(part seldom)" 'BEGIN { print a + b }')" 100 2
like 'the table is still there' "$(screen)" '^> *[0-9.]+ % .* shared '
like 'and so is loss' "$(screen | head -n 1)" 'lost [0-9]'
keys e
shows 'e: callees' '^ CALLEES OF shared  callers'
keys Escape
comes '^0$' panes
is 'Esc: the table alone' "$(panes)" 0
keys c g
shows 'only functions have callers' 'only functions have callers'
keys q
ends 'q: ends with 0' 0
without_loss "$TMP/stderr"
is 'nothing on stderr' "$(cat "$TMP/stderr")" ''

terminal 120 30 "$TPROF top -d 0.5 -F 997 -p $callers"
shows 'without -g: rows' '^> *[0-9.]+ % .* shared '
keys c
shows 'without -g: how to get callers' 'press G'
is 'without -g: nothing else' "$(panes)" 0
keys G
shows 'G: call stacks' 'call stacks are counted from now on'
keys c
shows 'G: callers' '^ CALLERS OF shared  callers'
shows 'G: the caller that has three quarters' '^ *[67][0-9]\.[0-9] % *often *$'
shows 'G: the table is still there' '^> *[0-9.]+ % .* shared '
keys G
shows 'G again: functions' 'without call stacks'
comes '^0$' panes
is 'G again: no callers' "$(panes)" 0
shows 'G again: rows' '^> *[0-9.]+ % .* shared '
keys l
shows 'G again: the ledger goes on' 'aggregated'
keys l G c
shows 'G for a third time: callers' '^ CALLERS OF shared  callers'
keys q
ends 'after G: q ends with 0' 0
like 'after G: the total has both' "$(screen)" ' shared '
without_loss "$TMP/stderr"
is 'after G: nothing on stderr' "$(cat "$TMP/stderr")" ''
terminal 120 30 "$TPROF top -d 0.5 -F 997 --filter comm"
shows 'a filter: rows' '^> *[0-9.]+ %'
keys G
shows 'a filter: it decides' 'the filter decides whether call stacks are counted'
keys q
ends 'a filter: ends with 0' 0

# The function stays selected while rows appear and disappear.
background "$WORKLOAD/syscalls"
terminal 100 12 "$TPROF top -g -d 0.5 -F 997 -p $callers,$pid"
shows 'several functions' ' shared '
keys / s h a r e d Enter c
shows 'found and chosen' '^ CALLERS OF shared'
keys / Escape
shows 'stays chosen' '^>.* shared '
like 'stays shown' "$(screen)" '^ CALLERS OF shared'
keys q

seconds=2 profile "$TMP/json" -g -F 997 --engine perf
walks=1
closes 'top -g' "$TMP/json"
refuses 'top has no copies of stacks' 2 "'dwarf' is not a method of tprof top to find callers" \
	"$TPROF" top --call-graph dwarf
refuses 'a filter and -g' 2 'exclude each other' "$TPROF" top -g --filter stacks
done_testing
