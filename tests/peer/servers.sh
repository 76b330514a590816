#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: truth
# Servers under load and a parallel build: what `tprof top --threads` says of each thread is the time that passed,
# within 1 %, and the time on the CPU is that of perf stat, or of the shell. Packages of servers start them, so tests do
# not install any: postgresql, nginx-light and apache2-utils are used if they are there.
. "${0%/*}/../lib/live.sh"

command -v perf >"$TMP/path" || skip_all 'no perf'

# adds_up NAME LEAST PID...: for at least LEAST threads of these processes, which live all the time. The kernel's own
# sum (/proc/PID/schedstat) has a part of each switch from the idle task, too.
adds_up() {
	name=$1
	least=$2
	pids=$(shift 2 && echo "$*" | tr ' ' ,)
	perf stat -x , --per-thread -e task-clock -p "$pids" -o "$TMP/perf" -- sleep 5 2>"$TMP/perf.err" &
	peer=$!
	"$TPROF" top --threads --json --duration 5 -p "$pids" >"$TMP/json" 2>"$TMP/stderr"
	is "$name: exit code" $? 0
	wait $peer
	ledger_closes "$name" "$TMP/json"
	is "$name: nothing is lost" "$(jq '[.ledger.lost[]] | add' "$TMP/json")" 0
	# Lines "NAME-TID,ms,msec,..."
	sed -n 's/^[^,]*-\([0-9]*\),\([0-9.]*\),.*/\1 \2/p' "$TMP/perf" >"$TMP/known"
	jq -r '.duration_s as $s | .threads[] | "\(.tid) \(.running.ns) \(.ready.ns) \(.blocked.ns) \($s * 1e9)"' \
		"$TMP/json" >"$TMP/told"
	check "$name: each thread adds up, and ran as long as perf says" awk -v least="$least" '
		FILENAME ~ /known$/ { known[$1] = $2 / 5000; next }
		{
			sum = ($2 + $3 + $4) / $5
			# perf does not have those that did not run.
			if (!($1 in known) && ($2 || sum < 0.99))
				next
			nr++
			apart = $2 / $5 - known[$1]
			if (sum < 0.99 || sum > 1.01 || apart < -0.02 || apart > 0.02) {
				print $1 ": " sum " of the time; on the CPU " $2 / $5 ", by perf " known[$1]
				wrong++
			}
			ran += $2 / $5
		}
		END {
			print nr + 0 " threads, " ran " CPUs"
			exit !(nr >= least && !wrong && ran > 0.2)
		}' "$TMP/known" "$TMP/told"
}

command -v redis-check-rdb >"$TMP/path" || skip_all 'no redis-tools'
# In Debian the redis server and its tools are one program, which chooses by the name that it is called by.
ln -s "$(cat "$TMP/path")" "$TMP/redis-server"
background "$TMP/redis-server" --port 0 --unixsocket "$TMP/redis" --io-threads 2 --save ''
server=$pid
comes . ls "$TMP/redis"
background redis-benchmark -s "$TMP/redis" -t set,get,lrange -n 100000000 -P 16 -q
comes 'redis-benchmark' cat "/proc/$pid/comm"
adds_up redis 5 "$server" "$pid"
end "$pid"
end "$server"

bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -n 1)
if [ -n "$bin" ] && command -v setpriv >"$TMP/path"; then
	# It does not run as root.
	mkdir "$TMP/postgres"
	chmod 711 "$TMP"
	chown nobody "$TMP/postgres"
	as='setpriv --reuid nobody --clear-groups'
	# shellcheck disable=SC2086 # words
	$as "$bin/initdb" -D "$TMP/postgres/data" -A trust >"$TMP/stdout" 2>&1 ||
		bail "initdb: $(tail -n 1 "$TMP/stdout")"
	# shellcheck disable=SC2086 # words
	background $as "$bin/postgres" -D "$TMP/postgres/data" -k "$TMP/postgres" -c listen_addresses=
	server=$pid
	comes accepting "$bin/pg_isready" -h "$TMP/postgres"
	# shellcheck disable=SC2086 # words
	$as "$bin/pgbench" -h "$TMP/postgres" -i -s 2 postgres >"$TMP/stdout" 2>&1
	# shellcheck disable=SC2086 # words
	background $as "$bin/pgbench" -h "$TMP/postgres" -c 8 -j 2 -T 60 postgres
	working() {
		[ "$(pgrep -c -P "$server")" -ge 13 ]
	}
	await working
	# shellcheck disable=SC2046 # ids
	adds_up postgres 14 "$server" $(pgrep -P "$server")
	end "$pid"
	end "$server"
else
	skip postgres 'no postgresql'
fi

if command -v nginx >"$TMP/path" && command -v ab >"$TMP/path"; then
	mkdir "$TMP/nginx"
	head -c 20000 /dev/zero >"$TMP/nginx/file"
	cat >"$TMP/nginx/conf" <<-END
		daemon off;
		worker_processes 2;
		user nobody nogroup;
		pid $TMP/nginx/pid;
		error_log $TMP/nginx/log;
		events { }
		http { access_log $TMP/nginx/access; server { listen 127.0.0.1:18080; root $TMP/nginx; } }
	END
	background nginx -c "$TMP/nginx/conf" -p "$TMP/nginx"
	server=$pid
	comes . cat "$TMP/nginx/pid"
	background ab -q -k -c 16 -t 60 -n 100000000 http://127.0.0.1:18080/file
	client=$pid
	comes 200 cat "$TMP/nginx/access"
	# shellcheck disable=SC2046 # ids
	adds_up nginx 3 "$server" $(pgrep -P "$server") "$client"
	end "$client"
	end "$server"
else
	skip nginx 'no nginx-light and apache2-utils'
fi

# Processes that come and go: make is there all the time, and all of them together run as long as the shell says.
mkdir "$TMP/make"
for i in $(seq 40); do
	seq 60 | sed 's/.*/int f&(int a, int *b) {\n\tfor (int k = 0; k < a; k++)\n\t\tb[k] += a * k ^ b[k * 7 % a];/
		s/$/\n\treturn *b;\n}/' >"$TMP/make/$i.c"
done
printf 'all: %s\n%%.o: %%.c\n\tgcc -O2 -c -o $@ $<\n' "$(seq -f %g.o -s ' ' 40)" >"$TMP/make/Makefile"
cat >"$TMP/make/build" <<'END'
TIMEFORMAT='%R %U %S'
time make -s -j8 -C "$1" all
END
"$TPROF" run threads --json -e on-cpu,off-cpu -- bash "$TMP/make/build" "$TMP/make" >"$TMP/json" 2>"$TMP/stderr"
is 'make: exit code' $? 0
ledger_closes make "$TMP/json"
read -r real user system <"$TMP/stderr"
jq -r '.tables[].rows[] | .weight as $weight | .members | map({(.name): .text}) | add |
	[(.thread | sub(" .*"; "")), .state, $weight] | join(" ")' "$TMP/json" >"$TMP/told"
check "make: $real s passed, $user s and $system s on the CPU" awk -v real="$real" -v used="$user $system" '
	$1 == "make" { make += $3 / 1e9 }
	$2 == "running" { ran += $3 / 1e9 }
	END {
		split(used, cpu)
		print "make: " make " s; all of them ran for " ran " s"
		exit !(make > 0.99 * real - 0.01 && make < 1.01 * real + 0.01 &&
		       ran > 0.98 * (cpu[1] + cpu[2]) - 0.01 && ran < 1.02 * (cpu[1] + cpu[2]) + 0.05)
	}' "$TMP/told"

done_testing
