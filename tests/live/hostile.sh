#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=20 sanitized=only
# Unprivileged programs attack a tprof that runs as root: thousands of mappings, forks, names of random bytes, and perf
# maps and object files that change while they are read. tprof continues, its ledger closes, its memory is limited, and
# sanitizers find no error. Runs for HOSTILE_SECONDS (10).
. "${0%/*}/../lib/live.sh"

hostiles= views=
seconds=${HOSTILE_SECONDS:-10}

# The build directory may be inaccessible to other users, so they run a copy.
cp "$WORKLOAD/hostile" "$TMP/hostile"
chmod 755 "$TMP" "$TMP/hostile"

# hostile MODE: starts a program that runs longer than tprof. It starts first, so that tprof finds its state in /proc.
hostile() {
	background setpriv --reuid=65534 --regid=65534 --clear-groups "$TMP/hostile" "$1" $((seconds * 2 + 300))
	hostiles="$hostiles $pid"
}

for what in cover stale many forks comms perfmap elf; do
	hostile "$what"
done
sleep 1

start() {
	name=$1
	shift
	"$TPROF" "$@" >"$TMP/$name.out" 2>"$TMP/$name.err" </dev/null &
	at_exit "kill $! 2>/dev/null"
	views="$views $name:$!"
}

start top top -g --json -d 1 --duration "$seconds"
start raw record --raw -F 499 --duration "$seconds" -o "$TMP/raw.traw"
start dwarf record --call-graph dwarf -F 499 --duration "$seconds" -o "$TMP/dwarf.pb.gz"
start fp record -F 499 --duration "$seconds" -o "$TMP/fp.pb.gz"

sleep $((seconds * 3 / 4))
for view in $views; do
	resident=$(awk '$1 == "RssAnon:" { print int($2 / 1024) }' "/proc/${view#*:}/status")
	diag "${view%:*}: $resident MiB"
	# The sum of the limits: 72 MiB of mappings, 128 MiB of perf maps, 64 MiB of unwind tables, 64 MiB of stack
	# copies.
	[ "${BUILD##*/san-*}" ] || continue
	at_most "${view%:*}: resident memory, MiB" "${resident:-9999}" 400
done

for view in $views; do
	name=${view%:*}
	check "$name: it ends as ever" wait "${view#*:}"
	is "$name: nothing is wrong with its memory" \
		"$(grep -E 'ERROR: |runtime error' "$TMP/$name.err" | head -n 3)" ''
done
for pid in $hostiles; do
	check "they were at it to the end: $pid" kill -0 "$pid"
	end "$pid"
done

jq -s '.[-1]' "$TMP/top.out" >"$TMP/last.json"
ledger_closes top "$TMP/last.json"
for file in raw.traw dwarf.pb.gz fp.pb.gz; do
	"$TPROF" report -i "$TMP/$file" --json >"$TMP/report.json" 2>"$TMP/stderr"
	ledger_closes "$file" "$TMP/report.json"
	check "$file: it has samples" [ "$(ledger "$TMP/report.json" '.done + .kept')" -ge 100 ]
done

done_testing
