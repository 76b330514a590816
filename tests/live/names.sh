#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=25
# Functions have their names if the program is deleted or replaced while it runs, is stripped, or is written in C++,
# Rust, Go or JavaScript. The rates are those of accuracy.sh. All programs but one run at the same time, in one profile.
. "${0%/*}/../lib/live.sh"

# starts COMMAND...: runs it in the background as $pid
programs=
starts() {
	background "$@"
	programs="$programs $pid"
}

cp "$WORKLOAD/spin" "$TMP/deleted"
starts "$TMP/deleted" --seconds 600
deleted=$pid
check 'deleted before tprof starts: it has begun' comes "^$TMP/deleted\$" readlink "/proc/$pid/exe"
rm "$TMP/deleted"

cp "$WORKLOAD/spin" "$TMP/stripped"
(
	cd "$TMP" || exit
	objcopy --only-keep-debug stripped stripped.debug
	strip --strip-all stripped
	objcopy --add-gnu-debuglink=stripped.debug stripped
)
starts "$TMP/stripped" --seconds 600
stripped=$pid

cp "$WORKLOAD/spin" "$TMP/nameless"
strip --strip-all "$TMP/nameless"
starts "$TMP/nameless" --seconds 600
nameless=$pid

# Go programs contain a function table of the Go runtime.
go=
if command -v go >/dev/null; then
	source=$(cd "${0%/*}/../workload" && pwd)/spin.go
	GO111MODULE=off GOCACHE=${GOCACHE:-$(cd "$BUILD" && pwd)/go} \
		go build -ldflags '-s -w' -o "$TMP/spin_go" "$source"
	starts "$TMP/spin_go" 600
	go=$pid
fi

starts "$WORKLOAD/spin_cxx" 600
cxx=$pid

rust=
if [ -x "$WORKLOAD/spin_rust" ]; then
	starts "$WORKLOAD/spin_rust" 600
	rust=$pid
fi

node=
if command -v node >/dev/null; then
	script=$(cd "${0%/*}/../workload" && pwd)/spin.js
	# node writes a log to its working directory.
	starts sh -c "cd $TMP && exec node --perf-basic-prof $script 600"
	node=$pid
	at_exit "rm -f /tmp/perf-$node.map"
	works "$node" 1000
fi

# least: prints the number of samples of the program that has the fewest
least() {
	for program in $programs; do
		samples_of "$TMP/json" ".pid == $program"
	done | sort -n | head -n 1
}

# As profile_enough, but each of the programs must have enough samples.
# shellcheck disable=SC2086 # numbers of processes
all=$(echo $programs | tr ' ' ,)
seconds=14 profile "$TMP/json" -F 3989 -p "$all"
got=$(least)
if [ "$got" -lt 9000 ]; then
	diag "only $got samples of a program in 14 s"
	seconds=$((14 * 15000 / (got + 1000) + 1)) profile "$TMP/json" -F 3989 -p "$all"
fi
for program in $programs; do
	end "$program"
done

# shares WHAT WHICH: the functions that WHICH (a jq condition) selects have the known shares
shares() {
	within "$1: hot() has 50 %" "$(share "$TMP/json" "$2" hot)" 50 2
	within "$1: warm() has 30 %" "$(share "$TMP/json" "$2" warm)" 30 2
	within "$1: mild() has 20 %" "$(share "$TMP/json" "$2" mild)" 20 2
}

closes 'all programs' "$TMP/json" 0
shares 'deleted before tprof starts' "$(user_mode_of "$deleted")"
shares 'stripped, with a debug file beside it' "$(user_mode_of "$stripped")"

# Without a symbol table the functions have no names, and must not get wrong ones. Dynamic symbols, of functions in
# other objects, still exist.
symbols=$(jq -r --argjson pid "$nameless" '.functions[] |
	select(.pid == $pid and (.object | endswith("nameless"))).symbol' "$TMP/json")
like 'stripped for good: it was seen' "$symbols" .
strangers=$(echo "$symbols" | grep -Evx '\[nameless\+0x[0-9a-f]+\]|[a-z_]+@plt')
is 'stripped for good: [object+0xoffset], never a neighbour' "$strangers" ''

# The unwind table has the starts of the functions, so each function is one row.
starts=$(nm "$WORKLOAD/spin" |
	awk '$3 ~ /^(hot|warm|mild)$/ { sub(/^0+/, "", $1); print "[nameless+0x" $1 "]" }' | sort)
is 'stripped for good: each function is one' \
	"$(jq -r --argjson pid "$nameless" '[.functions[] |
		select(.pid == $pid and (.symbol | startswith("[nameless")))] |
		sort_by(-.samples)[:3] | map(.symbol) | sort[]' "$TMP/json")" "$starts"

if [ -n "$go" ]; then
	shares 'Go, stripped' "$(user_mode_of "$go")"
else
	skip 'Go' 'no go'
fi
shares 'C++' "$(user_mode_of "$cxx")"
like 'C++: names are demangled' "$(jq -r ".functions[] | select(.pid == $cxx).symbol" "$TMP/json")" \
	'^work::chain<unsigned long>::hot\('
if [ -n "$rust" ]; then
	shares 'Rust' "$(user_mode_of "$rust")"
	like 'Rust: names are demangled' "$(jq -r ".functions[] | select(.pid == $rust).symbol" "$TMP/json")" \
		'^spin_rust::work::hot$'
else
	skip 'Rust' 'no rustc when the workloads were built'
fi
# Compilation and garbage collection of node take less than one percent here.
if [ -n "$node" ]; then
	shares 'node --perf-basic-prof' "$(user_mode_of "$node")"
else
	skip 'node --perf-basic-prof' 'no node'
fi

# Another program replaces the file: its symbols must not be used for the running one.
cp "$WORKLOAD/spin" "$TMP/replaced"
background "$TMP/replaced" --seconds 600
profile "$TMP/json" -F 3989 &
profiler=$!
sleep 1
cp "$WORKLOAD/syscalls" "$TMP/new"
mv "$TMP/new" "$TMP/replaced"
wait "$profiler"
truth 'replaced while running' "$TMP/json" "$(user_mode_of "$pid")"
end "$pid"

done_testing
