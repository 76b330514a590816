# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=x86-64,next not=debug,race seconds=240
# The same workload on both engines, with the same filter objects, gives the same tables if each event is a sample, and
# the same shares within random errors if time is sampled.
. "${0%/*}/../lib/live.sh"

before=$(cat "$BUILD"/filters/*.bpf.o | sha256sum)

# Each page fault is a sample, so there is no random error.
for engine in kmod perf; do
	"$TPROF" top --engine $engine --json -e page-faults -c 1 -- "$WORKLOAD/faults" 10000 >"$TMP/lines" \
		2>"$TMP/stderr" || not_ok "$engine: page faults" "$(cat "$TMP/stderr")"
	jq -c -s 'map(.functions[]) | map(select(.mode == "user" and .comm == "faults" and .object == "faults")) |
		group_by(.symbol) |
		map({ symbol: .[0].symbol, weight: map(.weight) | add, samples: map(.samples) | add })[]' \
		"$TMP/lines" >"$TMP/faults.$engine"
	ledger_closes "page faults on $engine" "$TMP/lines"
	is "page faults on $engine: none is lost" "$(jq -s 'map(.ledger.lost[]) | add' "$TMP/lines")" 0
	for truth in 'hot 5000' 'warm 3000' 'mild 2000'; do
		is "page faults on $engine: all of ${truth% *}()" "$(jq -r --arg symbol "${truth% *}" \
			'select(.symbol == $symbol) | "\(.samples) \(.weight)"' "$TMP/faults.$engine")" \
			"${truth#* } ${truth#* }"
	done
done
is 'page faults: the same table on both engines' "$(cat "$TMP/faults.kmod")" "$(cat "$TMP/faults.perf")"

lazy "$WORKLOAD/spin" --seconds 3600
spin=$pid
lazy "$WORKLOAD/syscalls" 3600
calls=$pid
seconds=6
for engine in kmod perf; do
	profile "$TMP/top.$engine" --engine $engine -F 1997 -p "$spin" || not_ok "$engine: top"
done

# hold PID...: stops the processes
hold() {
	kill -STOP "$@"
	for held; do
		comes '^State:.T' cat "/proc/$held/status"
	done
}

# tables ENGINE: starts $filter on $pids in the background
tables() {
	"$TPROF" run --engine "$1" --json -d 0.5 -F 997 -p "$pids" "$filter" >"$TMP/tables.$1" 2>"$TMP/stderr.$1" &
}

# both FILTER PID...: its tables on both engines, of the same $seconds, so that each process runs equally long in both.
# Two commands do not start and end at the same time, and take CPU time from the workloads. Therefore the workloads are
# stopped until both commands have written a first table, and again before either ends.
both() {
	filter=$1
	shift
	pids=$(echo "$@" | tr ' ' ',')
	hold "$@"
	rm -f "$TMP"/tables.*
	tables kmod
	kmod=$!
	tables perf
	perf=$!
	await test -s "$TMP/tables.kmod"
	await test -s "$TMP/tables.perf"
	kill -CONT "$@"
	sleep "$seconds"
	hold "$@"
	kill "$kmod" "$perf"
	wait "$kmod" || not_ok "kmod: run $filter" "$(cat "$TMP/stderr.kmod")"
	wait "$perf" || not_ok "perf: run $filter" "$(cat "$TMP/stderr.perf")"
	kill -CONT "$@"
	for engine in kmod perf; do
		jq -s '{ tables: [{ rows: map(.tables[0].rows[]) }], ledger: { done: map(.ledger.done) | add } }' \
			"$TMP/tables.$engine" >"$TMP/$filter.$engine"
	done
}
seconds=4
both cgroup "$spin" "$calls"
# After a virtual CPU has waited for a real one, it has one sample where several were due; how many an engine misses
# depends on the phase of its timer. Therefore the engines see two CPUs in different proportions, but two processes on
# one CPU in the same.
is 'comm: both processes are on CPU 1' "$(for each in "$spin" "$calls"; do
	taskset -cp 1 "$each" >/dev/null
	grep Cpus_allowed_list "/proc/$each/status"
done | cut -f 2 | sort -u)" 1
seconds=8
both comm "$spin" "$calls"
# The share of kernel time is a property of the process. Its CPU is not: the kernel may move it to another CPU for a
# millisecond, which one engine samples and the other does not.
end "$spin"
end "$calls"
lazy taskset -c 0 "$WORKLOAD/syscalls" 3600
on_0=$pid
lazy taskset -c 1 "$WORKLOAD/syscalls" 3600
seconds=4
both cpu "$on_0" "$pid"
is 'the engines are two' "$(jq -r .engine "$TMP/top.kmod" "$TMP/top.perf" | paste -sd ' ' -)" 'kmod perf'
is 'the filters are the same, byte for byte' "$(cat "$BUILD"/filters/*.bpf.o | sha256sum)" "$before"

# error FILE FILE: prints the maximum difference of two shares, in points: four standard errors of their difference, for
# a share of one half and the smaller number of samples. Interrupts of an emulated machine are late and come in pairs,
# so two samples count as one.
error() {
	jq -s 'map(.ledger.done) | min | 4 * (0.5 / (. / 2) | sqrt) * 100' "$1" "$2"
}

far=$(error "$TMP/top.kmod" "$TMP/top.perf")
diag "top: samples $(jq -s -c 'map(.ledger.done)' "$TMP/top.kmod" "$TMP/top.perf"), error $far points"
for name in hot warm mild; do
	within "top: $name() has the same share" "$(share "$TMP/top.kmod" '.mode == "user"' $name)" \
		"$(share "$TMP/top.perf" '.mode == "user"' $name)" "$far"
done
for engine in kmod perf; do
	closes "top on $engine" "$TMP/top.$engine" 0
	is "top on $engine: of that process alone" \
		"$(jq -r '[.functions[].pid] | unique | join(" ")' "$TMP/top.$engine")" "$spin"
	is "top on $engine: its user code has the same functions" \
		"$(jq -r '[.functions[] | select(.mode == "user" and .percent > 5).symbol] | sort | join(" ")' \
			"$TMP/top.$engine")" 'hot mild warm'
done

# row FILE KEY: prints the share of the row in the samples of its table, in percent
row() {
	jq -r --arg key "$2" '.tables[0].rows | (map(select(.key | test($key)).samples) | add // 0) * 100 /
		(map(.samples) | add // 1)' "$1"
}

# keys FILE: prints all keys of its table
keys() {
	jq -r '[.tables[0].rows[].key] | unique | join(" ")' "$1"
}
for which in 'comm ^spin$' 'comm ^syscalls$' 'cgroup ^/$' 'cpu mode=user' 'cpu mode=kernel'; do
	filter=${which%% *} key=${which#* }
	within "$filter: $key has the same share" "$(row "$TMP/$filter.kmod" "$key")" \
		"$(row "$TMP/$filter.perf" "$key")" "$(error "$TMP/$filter.kmod" "$TMP/$filter.perf")"
	is "$filter: the same keys" "$(keys "$TMP/$filter.kmod")" "$(keys "$TMP/$filter.perf")"
done
is 'cpu: either process, in either mode' "$(keys "$TMP/cpu.kmod")" \
	'cpu=0 mode=kernel cpu=0 mode=user cpu=1 mode=kernel cpu=1 mode=user'

done_testing
