#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: long
# In every output the rows and the ledger of an interval have the same samples: samples that are counted while tprof
# reads tables and symbolizes belong to the next interval. Also at a rate at which tables are emptied by a timer too.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/screen.sh"

# load SIGNAL: stops or continues the workloads; they are stopped while the output of tprof is checked
load() {
	[ -z "$spin" ] || kill "-$1" "$spin" "$forks"
}

# every_output LOAD HZ
spin=
every_output() {
	load CONT
	takes "$TMP/top.json" top --json -d 0.2 -F "$2"
	takes "$TMP/run.json" run stacks --json -d 0.2 -F "$2"
	takes "$TMP/top.text" top --batch -d 0.2 -F "$2"
	takes "$TMP/run.text" run top -d 0.2 -F "$2"
	load STOP
	closes "top --json, $1, $2 Hz" "$TMP/top.json"
	ledger_closes "run --json, $1, $2 Hz" "$TMP/run.json"
	rows_add_up "run --json, $1, $2 Hz" "$TMP/run.json"
	text_adds_up "top --batch, $1, $2 Hz" "$TMP/top.text"
	text_adds_up "run -d, $1, $2 Hz" "$TMP/run.text"
}

[ -z "${LONG:-}" ] || every_output idle 99
every_output idle 20000
background "$WORKLOAD/spin" --seconds 600 --threads 4
spin=$pid
background "$WORKLOAD/spin" --seconds 600 --fork 100 --exec
forks=$pid
every_output 'under load' 99
[ -z "${LONG:-}" ] || every_output 'under load' 20000
load CONT
end "$forks"

# With small tables, many samples do not fit, and tables are emptied as often as possible.
takes "$TMP/json" top --json -d 0.2 -F 20000 --table-entries 16
closes '16 entries' "$TMP/json"

# A filter without tables that keeps samples.
takes "$TMP/json" top --json -d 0.2 -F 997 --filter pass
ledger_closes 'kept' "$TMP/json"
is 'kept: the functions add up to what was kept' \
	"$(jq -r '([.functions[].samples] | add // 0) - .ledger.kept' "$TMP/json" | sort -u)" 0

# The duration of an interval matches its fired samples: each CPU fires once in a period, busy or idle.
takes "$TMP/json" top --json -d 0.2 -F 20000
is 'the duration is that of the ledger' "$(jq -c '(.ledger.counter * .period / .cpus / 1e9) as $fired |
	if ($fired - .duration_s | fabs) < 0.01 + .duration_s / 20 then empty else { $fired, duration_s } end' \
	"$TMP/json")" ''

# The weight of folded call stacks is that of their samples.
"$TPROF" record --format folded -o "$TMP/folded" -c 1000000 -p "$spin" --duration 1 2>"$TMP/stderr"
is 'folded: the stacks weigh as much as what was done' \
	"$(awk '{ sum += $NF } END { print sum / 1000000 }' "$TMP/folded")" \
	"$(sed -n 's/.* samples in [^:]*: \([0-9]*\) done.*/\1/p' "$TMP/stderr")"

# In the terminal view, the number of samples in the header equals the sum of the rows.
terminal 120 50 "$TPROF top -d 0.5 -F 99 -p $spin"
comes ' hot ' screen
sleep 1
keys p
shows 'the view pauses' '[Pp]aused'
is 'the view: the rows add up to the samples of the header' \
	"$(screen | awk '$1 == ">" { $1 = ""; $0 = $0 } $2 == "%" { sum += $3 } END { print sum }')" \
	"$(screen | sed -n '1s/.* \([0-9]*\) samples.*/\1/p')"
keys q
ends 'the view: ends with 0' 0

done_testing
