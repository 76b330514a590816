#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=1
# `tprof list` shows sessions and the lists of the module, on machines with and without the module.
. "${0%/*}/../lib/live.sh"

background "$TPROF" top --engine perf --batch -d 60 -F 49
tprof=$pid
await_session_of "$tprof"
"$TPROF" list sessions --json >"$TMP/json"
is 'sessions: that of the perf engine is there' "$(jq -c --argjson pid "$tprof" '.[] | select(.pid == $pid) |
	[.comm, .filter, .engine, .pin, .stale, .session]' "$TMP/json")" '["tprof","top","perf",null,false,null]'
is 'sessions: with the map of its ledger' \
	"$(jq --argjson pid "$tprof" '.[] | select(.pid == $pid).map_id > 0' "$TMP/json")" true
like 'sessions: as text' "$("$TPROF" list sessions)" "^$tprof +tprof +top +perf +- +- "

if [ -e /sys/module/tprof ]; then
	like 'sources: those of the module' "$("$TPROF" list sources)" '^ID +SOURCE +EVENT'
	like 'filters: those that are attached to the module' "$("$TPROF" list --running filters)" '^SESSION +FILTER'
else
	refuses 'sources: belong to the module' 4 'sources: only the kernel module .* not loaded' "$TPROF" list sources
	refuses 'filters: so do those that are attached' 4 'filters: only the kernel module .* not loaded' \
		"$TPROF" list --running filters
fi
like 'formats: as text' "$("$TPROF" list formats)" '^folded +\.folded +[a-z]'
is 'formats: as JSON' "$("$TPROF" list formats --json | jq -c '.[] | select(.name == "json") |
	[.suffix, .binary, (.about | length > 0)]')" '[".json",false,true]'
libc=$(ldd "$(command -v sort)" | awk '$1 ~ /^libc\.so/ { print $3 }')
like 'functions: the name that profiles show' "$("$TPROF" list functions "$libc" memcpy)" \
	'^0x[0-9a-f]{16} +[1-9][0-9]*    memcpy'
is 'functions: as JSON, of any name of theirs' "$("$TPROF" list --json functions "$WORKLOAD/spin" 'h[o]t' |
	jq -c '.[] | [.name, .symbol, (.address > 0 and .size > 0), .others]')" '["hot","hot",true,[]]'
is 'functions: as many as nm knows' "$("$TPROF" list --json functions "$WORKLOAD/spin" |
	jq -r '.[] | .symbol, .others[].symbol' | grep -c '^\(hot\|warm\|mild\|main\)$')" \
	"$(nm "$WORKLOAD/spin" | grep -c ' T \(hot\|warm\|mild\|main\)$')"
refuses 'functions: none is called that' 1 'no function matches' "$TPROF" list functions "$libc" no_such_name
refuses 'functions: none, and the pattern controls the terminal' 1 'no function matches a[?]\[31m[?]$' \
	"$TPROF" list functions "$libc" "$(printf 'a\033[31m\377')"
refuses 'functions: no object' 2 'takes an object' "$TPROF" list functions
refuses 'functions: an object that is not there' 2 'nowhere: cannot be read' "$TPROF" list functions /nowhere
refuses 'functions: no ELF object' 2 'not an ELF object' "$TPROF" list functions /etc/passwd
refuses 'running: is for filters alone' 2 'list events: --running' "$TPROF" list --running events
refuses 'no such list' 2 'list colours: no such list' "$TPROF" list colours

done_testing
