#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=10
# Debug files from debuginfod servers: a real one on this machine, used only with --debuginfod, and one that never
# answers.
. "${0%/*}/../lib/live.sh"

for tool in debuginfod python3 strip objcopy; do
	command -v "$tool" >"$TMP/path" || skip_all "no $tool"
done

# free_port: prints an unused TCP port
free_port() {
	python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# get URL: prints the response of the server
get() {
	python3 -c 'import sys, urllib.request as r; print(r.urlopen(sys.argv[1], timeout=5).read().decode())' "$1" \
		2>"$TMP/get"
}

# ask FILE SECONDS COMMAND...: records with debug files of the server
ask() {
	ask_file=$1 ask_seconds=$2
	shift 2
	DEBUGINFOD_CACHE_PATH=$TMP/cache HOME=$TMP timeout 100 "$TPROF" record --lines --inline -F 997 \
		${ask_seconds:+--debuginfod "$ask_seconds"} -o "$ask_file" -- "$@" 2>"$TMP/stderr"
}

# leaf FILE: prints the heaviest function of the program, and its source file
leaf() {
	"$TPROF" report -i "$1" --by line --json | jq -r '[.rows[] | select(.object == "stripped")][0] |
		"\(.name) \(.file // "no file" | sub(".*/"; ""))"'
}

mkdir "$TMP/files"
objcopy --only-keep-debug "$WORKLOAD/inlined" "$TMP/files/inlined.debug"
strip --strip-all -o "$TMP/stripped" "$WORKLOAD/inlined"
port=$(free_port)
DEBUGINFOD_URLS='' background debuginfod -d :memory: -F -p "$port" -t 0 -vv "$TMP/files"
server=$pid
build_id=$(readelf -n "$TMP/stripped" | sed -n 's/.*Build ID: //p')
[ -n "$build_id" ] || bail 'the workload has no build id'
await python3 -c 'import sys, urllib.request as r; r.urlopen(sys.argv[1], timeout=5)' \
	"http://127.0.0.1:$port/buildid/$build_id/debuginfo" ||
	bail "debuginfod does not find the file: $(tail -n 3 "$TMP/background.out")"

# requests: prints the number of requests for debug files
requests() {
	get "http://127.0.0.1:$port/metrics" | awk '/^http_responses_total/ || /^http_responses_transfer_bytes_count/ {
		n += /debuginfo/ ? $NF : 0 } END { print n + 0 }'
}

export DEBUGINFOD_URLS="http://127.0.0.1:$port"
before=$(requests)
ask "$TMP/alone.pb.gz" '' "$TMP/stripped" 0.3
like 'not by itself: no names' "$(leaf "$TMP/alone.pb.gz")" '^\[stripped\+0x[0-9a-f]+\] no file$'
is 'not by itself: nobody was asked' "$(requests)" "$before"

ask "$TMP/asked.pb.gz" 60 "$TMP/stripped" 0.3
is 'asked: functions and lines' "$(leaf "$TMP/asked.pb.gz")" 'innermost inlined.c'
check 'asked: the server was' test "$(requests)" -gt "$before"
end "$server"

# The server sends another file than the requested one.
rm -r "$TMP/cache"
mkdir -p "$TMP/wrong/buildid/$build_id"
cp "$WORKLOAD/spin" "$TMP/wrong/buildid/$build_id/debuginfo"
port=$(free_port)
: >"$TMP/background.out"
background python3 -m http.server --bind 127.0.0.1 --directory "$TMP/wrong" "$port"
liar=$pid
await get "http://127.0.0.1:$port/" >"$TMP/list"
export DEBUGINFOD_URLS="http://127.0.0.1:$port"
ask "$TMP/wrong.pb.gz" 60 "$TMP/stripped" 0.3
like 'the wrong file: no names' "$(leaf "$TMP/wrong.pb.gz")" '^\[stripped\+0x[0-9a-f]+\] no file$'
check 'the wrong file: it came' grep -q "$build_id" "$TMP/background.out"
end "$liar"

# A server that accepts connections and never answers. The cache of the other server is removed first.
rm -r "$TMP/cache"
python3 -c 'import socket, sys, time
s = socket.socket()
s.bind(("127.0.0.1", 0))
s.listen()
print(s.getsockname()[1], flush=True)
time.sleep(300)' >"$TMP/port" &
silent=$!
at_exit "kill $silent 2>/dev/null"
await test -s "$TMP/port"
DEBUGINFOD_URLS="http://127.0.0.1:$(cat "$TMP/port")"
export DEBUGINFOD_URLS
ask "$TMP/silent.pb.gz" 1 "$TMP/stripped" 0.3
is 'no answer: it ends' $? 0
like 'no answer: it says so' "$(cat "$TMP/stderr")" 'debuginfod: the time limit is reached'
like 'no answer: no names' "$(leaf "$TMP/silent.pb.gz")" '^\[stripped\+0x[0-9a-f]+\] no file$'
end "$silent"

unset DEBUGINFOD_URLS
ask "$TMP/x" 1 true
is 'no servers: exit code' $? 2
like 'no servers: why' "$(cat "$TMP/stderr")" 'DEBUGINFOD_URLS is not set'
like 'no servers: hint' "$(cat "$TMP/stderr")" 'hint: export DEBUGINFOD_URLS='
is 'no seconds' "$("$TPROF" record --debuginfod 0 -- true 2>"$TMP/stderr"; echo $?)" 2

done_testing
