#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: truth
# Waits as the tools of bcc see them (Debian's package libbpf-tools), at the same time and of the same process:
# offcputime, runqlat and wakeuptime. tprof is as near to the truth of the program as offcputime is.
. "${0%/*}/../lib/live.sh"

for tool in offcputime runqlat wakeuptime; do
	command -v $tool >"$TMP/path" || skip_all "no $tool (package libbpf-tools)"
done

# shellcheck disable=SC2086 # several options
clang -g -O2 --target=bpf $FILTER_INCLUDE -c "${0%/*}/../live/filters/wait_members.bpf.c" -o "$TMP/members.bpf.o" ||
	bail 'cannot compile'

# held COMMAND: a shell that waits for `release`, and then becomes the command; its id is in $held
held() {
	rm -f "$TMP/go"
	mkfifo "$TMP/go"
	sh -c 'read -r line <"$0"; exec $1' "$TMP/go" "$*" >"$TMP/truth" &
	held=$!
	at_exit "kill $held 2>/dev/null"
}

# bcc NAME ARGUMENT...: starts the tool, which writes to $TMP/NAME
bccs=
bcc() {
	bcc_name=$1
	shift
	"$bcc_name" -p "$held" "$@" >"$TMP/$bcc_name" 2>"$TMP/bcc.err" &
	bccs="$bccs $!"
	at_exit "kill $! 2>/dev/null"
}

# ours FILTER OPTION...: starts `tprof run`, which writes to $TMP/FILTER
ours() {
	ours_filter=$1
	shift
	ours_to=$TMP/${ours_filter##*/}
	"$TPROF" run "$ours_filter" --json -p "$held" "$@" >"$ours_to.json" 2>"$ours_to.err" &
	at_exit "kill $! 2>/dev/null"
	await_session_of $!
}

# release: the command runs while all tools watch, and then they end. The tools of bcc say nothing when they are ready.
release() {
	sleep 2
	echo >"$TMP/go"
	wait "$held"
	sleep 0.5
	# shellcheck disable=SC2086 # several
	kill -INT $bccs
	# shellcheck disable=SC2046,SC2086 # several
	wait $bccs $(jobs -p)
	bccs=
}

# members FILE EXPRESSION: the rows of a filter as lines of members, for which EXPRESSION of jq chooses what is printed
members() {
	jq -r '.tables[].rows[] | .weight as $weight | .members | map({(.name): .text}) | add | '"$2" "$1"
}

# The functions of this program wait in the thread that has their name, and tell for how long. The others need children,
# which bcc leaves out.
held "$WORKLOAD/waits" sleeps locks
bcc offcputime 600
bcc runqlat 600 1
ours "$TMP/members.bpf.o" --off-cpu
ours runqlat
release
ledger_closes 'off-cpu' "$TMP/members.bpf.o.json"
members "$TMP/members.bpf.o.json" '"\(.comm) \($weight)"' >"$TMP/told"
# Call stacks, "    -                NAME (PID)", "        MICROSECONDS"
awk '/^    -  +/ { name = $2 } /^        [0-9]+$/ { print name, $1 * 1000 }' "$TMP/offcputime" >"$TMP/bcc"
# told FILE NAME
told() {
	awk -v name="$2" '$1 == name { sum += $2 } END { printf "%.0f", sum }' "$1"
}
while read -r name truth delayed late unsure; do
	tprof=$(told "$TMP/told" "$name")
	bcc=$(told "$TMP/bcc" "$name")
	# A wait of 10 ms is missing in offcputime now and then.
	check "$name: $tprof ns, offcputime $bcc, the program $truth" awk -v tprof="$tprof" -v bcc="$bcc" \
		-v truth="$truth" -v unsure="$unsure" 'function apart(a, b) { return a > b ? a - b : b - a }
		BEGIN { exit !(apart(tprof, truth) <= apart(bcc, truth) + 1e6 + unsure &&
			apart(tprof, bcc) <= 0.2 * bcc) }'
done <"$TMP/truth"
is 'the program has told all' "$(wc -l <"$TMP/truth")" 2

# Both have a histogram of how long threads were ready to run.
bcc=$(awk '$2 == "->" { sum += $5 } END { print sum + 0 }' "$TMP/runqlat")
tprof=$(jq '[.tables[].rows[].samples] | add' "$TMP/runqlat.json")
check "ready to run: $tprof times, runqlat $bcc" awk -v tprof="$tprof" -v bcc="$bcc" \
	'BEGIN { exit !(bcc > 50 && tprof >= 0.98 * bcc - 2 && tprof <= 1.02 * bcc + 2) }'
# The median: of the buckets of a power of two, in which it is, those of bcc begin at 0, 2, 4, 8, ... us.
bcc=$(awk '$2 == "->" { all += $5; sum[NR] = all; from[NR] = $1 * 1000 }
	END { for (i = 1; i <= NR; i++) if (sum[i] >= all / 2) { print from[i]; exit } }' "$TMP/runqlat")
tprof=$(jq -r '[.tables[].rows[] | [.members[0].from, .samples]] | sort | (map(.[1]) | add) as $all |
	reduce .[] as $row ([0, null]; if .[1] then . else [.[0] + $row[1],
		if .[0] + $row[1] >= $all / 2 then $row[0] else null end] end) | .[1]' "$TMP/runqlat.json")
check "ready to run: half of them from $tprof ns on, runqlat $bcc" awk -v tprof="$tprof" -v bcc="$bcc" \
	'BEGIN { exit !(tprof >= bcc / 4 && tprof <= bcc * 4) }'

# Who wakes whom. bcc takes the thread that an interrupt has interrupted for the waker, so only threads are compared.
held "$WORKLOAD/wakers"
bcc wakeuptime 600
ours wakeups
release
ledger_closes 'wakeups' "$TMP/wakeups.json"
members "$TMP/wakeups.json" '"\(.comm)<\(.waker) \($weight)"' >"$TMP/told"
awk '$1 == "target:" { woken = $2 } $1 == "waker:" { waker = $2; getline; print woken "<" waker, $1 * 1000 }' \
	"$TMP/wakeuptime" >"$TMP/bcc"
for kind in futex pipe socket passed; do
	pair="on_$kind<by_$kind"
	tprof=$(told "$TMP/told" "$pair")
	bcc=$(told "$TMP/bcc" "$pair")
	check "on_$kind was blocked until by_$kind woke it: $tprof ns, wakeuptime $bcc" \
		awk -v tprof="$tprof" -v bcc="$bcc" \
		'BEGIN { exit !(bcc > 1e8 && tprof >= 0.98 * bcc - 2e6 && tprof <= 1.02 * bcc + 2e6) }'
done
done_testing
