#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Compares call stacks of tprof and perf for programs whose calls are not known in advance: a threaded server under
# load, and JavaScript. Both sample the same load at the same time. Each call in a call stack of tprof also occurs in a
# call stack of perf, and the root is a start function of a thread.
. "${0%/*}/../lib/live.sh"

command -v perf >/dev/null || skip_all 'no perf'

# perf_record PID OPTION: records the call stacks of the process for as long as tprof does
perf_record() {
	# shellcheck disable=SC2086 # an option and its value
	perf record -q -B -N -e cpu-clock:u -F 997 $2 -p "$1" -o "$TMP/perf.data" -- sleep 6 \
		>"$TMP/perf.out" 2>&1
}

# Prints the call stacks of perf in the format of tprof: one line each, from the root to the leaf. A frame without a
# symbol has the name of its object.
chains_of_perf() {
	perf script --no-inline -i "$TMP/perf.data" -F ip,sym,dso >"$TMP/script" 2>>"$TMP/perf.out" || return
	awk '
		NF { chain = name() (chain == "" ? "" : ";") chain; next }
		chain != "" { print chain " 1"; chain = "" }
		END { if (chain != "") print chain " 1" }
		function name(  text, object) {
			text = $0
			sub(/^[ \t]*[0-9a-f]+ /, "", text)
			object = text
			sub(/^.*\(/, "", object)
			sub(/ \([^(]*\)$/, "", text)
			sub(/^.*\//, "", object)
			sub(/\)$/, "", object)
			return text == "[unknown]" ? "[" object "]" : text
		}' "$TMP/script"
}

# Removes what the two tools write differently: symbol versions, parameters, offsets in objects without symbols, and the
# optimization level of JIT-compiled functions. Reads folded call stacks, and writes lines of weight, tab, call stack.
alike() {
	awk '{
		weight = $NF
		sub(/ [0-9]+$/, "")
		gsub(/\(anonymous namespace\)/, "anonymous")
		gsub(/\([^;]*/, "")
		gsub(/@@?[A-Za-z_0-9.]+/, "")
		gsub(/\+0x[0-9a-f]+\]/, "]")
		gsub(/:[*~^+]*/, ":")
		print weight "\t" $0
	}'
}

# judge WHAT ROOT: compares the call stacks of user code in $TMP/chains with those of perf in $TMP/perf
judge() {
	alike <"$TMP/chains" >"$TMP/ours"
	alike <"$TMP/perf" >"$TMP/theirs"
	awk -F '\t' -v root="$2" '
		NR == FNR {
			n = split($2, frame, ";")
			for (i = 2; i <= n; i++)
				calls[frame[i - 1] ";" frame[i]] = 1
			samples++
			next
		}
		{
			n = split($2, frame, ";")
			all += $1
			good = frame[1] ~ root
			if (!good)
				print "# root: " $1 " " $2
			for (i = 2; i <= n && good; i++) {
				good = ((frame[i - 1] ";" frame[i]) in calls)
				if (!good)
					print "# call: " $1 " " frame[i - 1] " -> " frame[i]
			}
			if (good)
				right += $1
		}
		END { printf "%d %.2f\n", samples, all ? right * 100 / all : 0 }' "$TMP/theirs" "$TMP/ours" \
		>"$TMP/verdict"
	diag "$1: samples of perf, percent right: $(tail -n 1 "$TMP/verdict")"
	if tail -n 1 "$TMP/verdict" | awk '{ exit !($1 > 300 && $2 >= 97) }'; then
		ok "$1: the calls that perf sees, from the root on"
	else
		not_ok "$1: the calls that perf sees, from the root on" "$(sed '$d; s/^# //' "$TMP/verdict" |
			sort -k 2,2nr | head -n 20; cat "$TMP/stderr" "$TMP/perf.out")"
	fi
}

# same WHAT ROOT OPTION PID: records with both tools and compares them; tries three times, because perf 6.1 sometimes
# aborts at the end of a recording
same() {
	for try in 1 2 3; do
		perf_record "$4" "$3" &
		perf=$!
		# shellcheck disable=SC2086 # an option and its value
		"$TPROF" record --engine perf -e cpu-clock --user-only -F 997 $3 -p "$4" --duration 6 \
			--format folded -o "$TMP/folded" 2>"$TMP/stderr"
		wait "$perf" && chains_of_perf >"$TMP/perf" && break
		diag "perf failed, try $try: $(tail -n 1 "$TMP/perf.out")"
	done
	# Removes the process name, which is the first frame.
	sed 's/^[^;]*;//' "$TMP/folded" >"$TMP/chains"
	judge "$1" "$2"
}

root='^(_start|__libc_start_[a-z_]*|_*clone3?|start_thread|\[libc[^;]*\])(;|$)'

# In Debian the redis server and its tools are one program, which chooses by the name that it is called by.
if command -v redis-check-rdb >/dev/null; then
	ln -s "$(command -v redis-check-rdb)" "$TMP/redis-server"
	background "$TMP/redis-server" --port 0 --unixsocket "$TMP/redis" --io-threads 2 \
		--io-threads-do-reads yes --save ''
	server=$pid
	comes . ls "$TMP/redis"
	background redis-benchmark -s "$TMP/redis" -t set,get,lrange,zadd,mset -n 100000000 -P 16 -r 100000 -q
	sleep 1
	same 'redis, without frame pointers' "$root" '--call-graph dwarf' "$server"
	end "$pid"
	end "$server"
else
	skip 'redis, without frame pointers' 'no redis-tools'
fi

if command -v node >/dev/null; then
	script=$(realpath "${0%/*}/../workload/spin.js")
	# node writes a log to its working directory.
	background sh -c "cd $TMP && exec node --perf-basic-prof --interpreted-frames-native-stack $script 60"
	at_exit "rm -f /tmp/perf-$pid.map"
	# Waits until hot() is compiled with full optimization.
	comes ':\*hot ' cat "/tmp/perf-$pid.map" || diag "$(grep -w hot "/tmp/perf-$pid.map")"
	same 'JavaScript' "$root" '-g' "$pid"
else
	skip 'JavaScript' 'no node'
fi

done_testing
