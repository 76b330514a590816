#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=52
# Functions have their names if the program is deleted or replaced while it runs, is stripped, or is written in C++,
# Rust, Go or JavaScript. The rates are those of accuracy.sh.
. "${0%/*}/../lib/live.sh"

cp "$WORKLOAD/spin" "$TMP/deleted"
background "$TMP/deleted" --seconds 600
check 'deleted before tprof starts: it has begun' comes "^$TMP/deleted\$" readlink "/proc/$pid/exe"
rm "$TMP/deleted"
profile_enough "$TMP/json" ".pid == $pid" -F 3989
truth 'deleted before tprof starts' "$TMP/json" ".pid == $pid"
end "$pid"

# Another program replaces the file: its symbols must not be used for the running one.
cp "$WORKLOAD/spin" "$TMP/replaced"
background "$TMP/replaced" --seconds 600
profile "$TMP/json" -F 3989 &
profiler=$!
sleep 1
cp "$WORKLOAD/syscalls" "$TMP/new"
mv "$TMP/new" "$TMP/replaced"
wait "$profiler"
truth 'replaced while running' "$TMP/json" ".pid == $pid"
end "$pid"

cp "$WORKLOAD/spin" "$TMP/stripped"
(
	cd "$TMP" || exit
	objcopy --only-keep-debug stripped stripped.debug
	strip --strip-all stripped
	objcopy --add-gnu-debuglink=stripped.debug stripped
)
background "$TMP/stripped" --seconds 600
profile_enough "$TMP/json" ".pid == $pid" -F 3989
truth 'stripped, with a debug file beside it' "$TMP/json" ".pid == $pid"
end "$pid"

# Without a symbol table the functions have no names, and must not get wrong ones. Dynamic symbols, of functions in
# other objects, still exist.
cp "$WORKLOAD/spin" "$TMP/nameless"
strip --strip-all "$TMP/nameless"
background "$TMP/nameless" --seconds 600
seconds=2 profile "$TMP/json" -F 997
nameless=$(jq -r --argjson pid "$pid" '.functions[] |
	select(.pid == $pid and (.object | endswith("nameless"))).symbol' "$TMP/json")
like 'stripped for good: it was seen' "$nameless" .
strangers=$(echo "$nameless" | grep -Evx '\[nameless\+0x[0-9a-f]+\]|[a-z_]+@plt')
is 'stripped for good: [object+0xoffset], never a neighbour' "$strangers" ''
end "$pid"

# The unwind table has the starts of the functions, so each function is one row.
starts=$(nm "$WORKLOAD/spin" |
	awk '$3 ~ /^(hot|warm|mild)$/ { sub(/^0+/, "", $1); print "[nameless+0x" $1 "]" }' | sort)
is 'stripped for good: each function is one' \
	"$(jq -r --argjson pid "$pid" '[.functions[] | select(.pid == $pid and (.symbol | startswith("[nameless")))] |
		sort_by(-.samples)[:3] | map(.symbol) | sort[]' "$TMP/json")" "$starts"

# Go programs contain a function table of the Go runtime.
if command -v go >/dev/null; then
	source=$(cd "${0%/*}/../workload" && pwd)/spin.go
	GO111MODULE=off GOCACHE=${GOCACHE:-$(cd "$BUILD" && pwd)/go} \
		go build -ldflags '-s -w' -o "$TMP/spin_go" "$source"
	background "$TMP/spin_go" 600
	profile_enough "$TMP/json" ".pid == $pid and .mode == \"user\"" -F 3989
	truth 'Go, stripped' "$TMP/json" ".pid == $pid and .mode == \"user\""
	end "$pid"
else
	skip 'Go' 'no go'
fi

background "$WORKLOAD/spin_cxx" 600
profile_enough "$TMP/json" ".pid == $pid" -F 3989
truth 'C++' "$TMP/json" ".pid == $pid"
like 'C++: names are demangled' "$(jq -r ".functions[] | select(.pid == $pid).symbol" "$TMP/json")" \
	'^work::chain<unsigned long>::hot\('
end "$pid"

if [ -x "$WORKLOAD/spin_rust" ]; then
	background "$WORKLOAD/spin_rust" 600
	profile_enough "$TMP/json" ".pid == $pid" -F 3989
	truth 'Rust' "$TMP/json" ".pid == $pid"
	like 'Rust: names are demangled' "$(jq -r ".functions[] | select(.pid == $pid).symbol" "$TMP/json")" \
		'^spin_rust::work::hot$'
	end "$pid"
else
	skip 'Rust' 'no rustc when the workloads were built'
fi

# Compilation and garbage collection of node take less than one percent here.
if command -v node >/dev/null; then
	script=$(cd "${0%/*}/../workload" && pwd)/spin.js
	# node writes a log to its working directory.
	background sh -c "cd $TMP && exec node --perf-basic-prof $script 600"
	at_exit "rm -f /tmp/perf-$pid.map"
	sleep 1
	profile_enough "$TMP/json" ".pid == $pid" -F 3989
	truth 'node --perf-basic-prof' "$TMP/json" ".pid == $pid"
	end "$pid"
else
	skip 'node --perf-basic-prof' 'no node'
fi

done_testing
