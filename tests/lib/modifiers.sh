# SPDX-License-Identifier: GPL-2.0-only
# Events with modifiers, for tests that have sourced live.sh.

# counted FILE EVENT: prints the samples of the event in a profile
counted() {
	"$TPROF" export --value "$2" -f json "$1" | jq '[.functions[].samples] | add // 0'
}

# modes FILE EVENT: prints the CPU modes of the event in a profile
modes() {
	"$TPROF" export --value "$2" -f json "$1" | jq -r '[.functions[].mode] | unique | join(" ")'
}

# modes_add_up OPTION...: each page fault of a command is one in user mode or one in the kernel
modes_add_up() {
	"$TPROF" record "$@" -e page-faults:u,page-faults:k,faults -c 1 -o "$TMP/modes" -- \
		"$WORKLOAD/spin" --seconds 1 --fork 20 2>"$TMP/stderr"
	is 'page-faults: exit code' $? 0
	like 'page-faults: the names have the modifiers' "$(cat "$TMP/stderr")" \
		', page-faults:u, page-faults:k, page-faults: '
	user=$(counted "$TMP/modes" page-faults:u)
	kernel=$(counted "$TMP/modes" page-faults:k)
	check 'page-faults:u: some' test "$user" -gt 0
	check 'page-faults:k: some' test "$kernel" -gt 0
	is 'page-faults: the sum' $((user + kernel)) "$(counted "$TMP/modes" page-faults)"
	is 'page-faults:u: the mode' "$(modes "$TMP/modes" page-faults:u)" user
	is 'page-faults:k: the mode' "$(modes "$TMP/modes" page-faults:k)" kernel
	is 'page-faults: both modes' "$(modes "$TMP/modes" page-faults)" 'kernel user'
}

# clock_has_mode OPTION...: samples of a clock in another mode are out of scope, and none is missing
clock_has_mode() {
	for mode in u k; do
		"$TPROF" top "$@" --json -e cpu-clock:$mode -F 997 --duration 1 -p "$pid" >"$TMP/json" 2>"$TMP/stderr"
		is "cpu-clock:$mode: exit code" $? 0
		is "cpu-clock:$mode: the name" "$(jq -r .event "$TMP/json")" cpu-clock:$mode
		is "cpu-clock:$mode: the mode" "$(jq -r '[.functions[].mode] | unique | join(" ")' "$TMP/json")" \
			"$([ $mode = u ] && echo user || echo kernel)"
		check "cpu-clock:$mode: the others are out of scope" jq -e '.ledger.out_of_scope > 0' "$TMP/json"
		is "cpu-clock:$mode: the ledger closes" "$(jq '.ledger |
			.fired - .out_of_scope - .decimated - .done - .kept - .below_min -
			([.lost[]] | add)' "$TMP/json")" 0
		is "cpu-clock:$mode: the rows are those of the ledger" \
			"$(jq '[.functions[].samples] | add' "$TMP/json")" "$(jq .ledger.aggregated "$TMP/json")"
	done
}

# counter_has_modes OPTION...: the cycles of a process in user mode and in the kernel are all its cycles
counter_has_modes() {
	"$TPROF" top "$@" --json -e cycles:u,cycles:k,cycles,cycles:H -c 1000000 --duration 5 -p "$pid" >"$TMP/json" \
		2>"$TMP/stderr"
	is 'cycles: exit code' $? 0
	# The interrupt comes some instructions after the overflow, and may interrupt the other mode: in an emulated
	# machine with many forks, a fourth to a half of them does. So the shares of user mode are not 1 and 0, but they
	# differ by more than four standard deviations, half of what is usual, and that of both modes is in between.
	check 'cycles: the share of user mode depends on the event' jq -e '[.functions as $rows | range(3) as $e |
			$rows | { user: (map(select(.mode == "user").values[$e].samples) | add),
			  nr: (map(.values[$e].samples) | add) } | .share = .user / .nr] |
		((.[0].user + .[1].user) / (.[0].nr + .[1].nr)) as $of_both |
		.[0].share - .[1].share > 4 * ($of_both * (1 - $of_both) * (1 / .[0].nr + 1 / .[1].nr) | sqrt) and
		.[0].share > .[2].share and .[2].share > .[1].share' "$TMP/json"
	jq -c '[.functions as $rows | .events | keys[] as $e | [.[$e].event, .[$e].ledger.weight.fired,
		($rows | map(select(.mode == "user").values[$e].samples) | add),
		($rows | map(.values[$e].samples) | add)]]' "$TMP/json" | sed 's/^/# /'
	# On all CPUs, because a late interrupt may be of another process. For the time of each, because the counters
	# start and stop one after the other. In an emulated machine, a counter of 32 bits is now and then read behind
	# where the kernel has set it; the kernel then adds 2^32 to its count.
	check 'cycles: the sum of both modes' jq -e '(.events[0].ledger.enabled_ns) as $time |
		[.events[].ledger | .weight.fired * $time / .enabled_ns] |
		((.[0] + .[1] - .[2]) / 4294967296 | round) as $jumps |
		(.[0] + .[1] - $jumps * 4294967296) / .[2] |
		. > 0.95 and . < 1.05 and $jumps >= -1 and $jumps <= 1' "$TMP/json"
}
