# SPDX-License-Identifier: GPL-2.0-only
# Checks of waits (the event off-cpu) of the workload `waits`. For tests that sourced live.sh, on the running kernel or
# in a guest (sh and grep of busybox).

# read_waits: writes the rows of the filter wait_members to $TMP/rows: thread, state, waker or -, system call, 1 if it
# is the part in which the thread was ready to run, weight
read_waits() {
	jq -r '.tables[].rows[] | .weight as $weight | .members | map({(.name): .text}) | add |
		[.comm, .state, (if .waker == "" then "-" else .waker end), (.syscall | gsub(" "; "_")), .runnable,
		 $weight] | join(" ")' "$TMP/json" >"$TMP/rows"
}

# waited NAME [CONDITION]: prints the time that threads of this name waited. CONDITION of awk: on the fields of a row.
# The time before a thread first runs is not of the thread that started it, whose name it has.
waited() {
	awk -v name="$1" "\$1 == name && (${2:-\$2 != \"new\"}) { sum += \$6 } END { printf \"%.0f\", sum }" "$TMP/rows"
}

# is_near NAME TOLD WAITED UNSURE [MORE [LEAST]]: the time that is told is within 2 % and 2 ms of what was waited, or
# MORE times more, or UNSURE more.
# In an emulated machine, interrupts take long, and the clock of a thread leaves them out, so more time seems to be
# waited. There LEAST is the time that is waited for certain, in ns: $waits_least for most functions.
is_near() {
	check "$1: $2 ns, and it waited $3 ns" awk -v told="$2" -v waited="$3" -v more="${5:-1}" -v unsure="$4" \
		-v least="${waits_least:+${6:-$waits_least}}" 'BEGIN {
			exit !((told >= 0.98 * waited - 2e6 || (least && told >= least)) &&
			       told <= (more + 0.02) * waited + unsure + (least ? 2e7 : 2e6))
		}'
}

# is_ready NAME DELAYED LATE UNSURE: the time in which it was ready to run is that of the kernel, DELAYED. A thread
# that was woken may have been ready for longer: the kernel counts from the moment in which the CPU to run on knows of
# it, and that may be busy. The program's own clocks say for how long at most: LATE. The kernel may count more than
# that: a thread that it moves to another CPU while it leaves its own is ready for the kernel, though it sleeps. In an
# emulated machine, a CPU may stand still between the moments in which the kernel and tprof read the clock.
# Some kernels run no programs while certain threads are current. A wait that an interrupt then ends has no waker, and
# all of it is blocked.
is_ready() {
	ready=$(waited "$1" '$5 && $2 != "new"')
	preempted=$(waited "$1" '$5 && $2 == "preempted"')
	unknown=$(waited "$1" '!$5 && $2 == "sleeping" && $3 == "-"')
	check "$1: ready to run: $ready ns, preempted $preempted, by the kernel $2 ns, once woken at most $3 ns" \
		awk -v ready="$ready" -v preempted="$preempted" -v delayed="$2" -v late="$3" \
		-v least="${waits_least:-0}" -v unsure="$4" -v unknown="$unknown" 'BEGIN {
			most = late + preempted + unsure
			kernel = delayed < most || least ? delayed : most
			exit !(ready + unknown >= 0.98 * kernel - 2e6 &&
			       (least || preempted <= 1.02 * delayed + unsure + 2e6) &&
			       ready - preempted <= 1.02 * late + unsure + 1e6)
		}'
	[ $((ready - preempted)) -le $(($3 + $4)) ] || diag "$(grep "^$1 " "$TMP/rows")"
}

# waits_are_true FILTER: the time of each function of the workload is what the program measures, in all and as far as
# it was ready to run; and so are state and waker. FILTER: the object wait_members
waits_are_true() {
	# shellcheck disable=SC2016 # of the shell there
	"$TPROF" run "$1" --off-cpu --json -- sh -c 'exec "$0" >"$1"' "$WORKLOAD/waits" "$TMP/waited" >"$TMP/json" \
		2>"$TMP/stderr"
	is 'waits: exit code' $? 0
	ledger_closes 'waits' "$TMP/json"
	nothing_lost waits "$TMP/json"
	is 'waits: what is true of all' \
		"$(jq -r '[.tables[].rows[].members[] | select(.name == "is_right").number] | unique | @csv' \
			"$TMP/json")" 1
	read_waits
	is 'waits: all functions' "$(wc -l <"$TMP/waited" | tr -d ' ')" 12
	while read -r name time delayed late unsure; do
		case $name in
		first)
			# A thread may lose its CPU again before it has its name, and reads how long it had to wait.
			new=$(waited starting '$2 == "new"')
			more=$(($(waited starting '$2 == "preempted"') + $(waited started '$5')))
			check "$name: $new ns before threads run, and they waited $delayed ns" awk -v new="$new" \
				-v more="$more" -v delayed="$delayed" 'BEGIN {
					exit !(new <= 1.02 * delayed + 2e6 && new + more >= 0.98 * delayed - 2e6)
				}'
			continue
			;;
		# These children have the name of their parent for a moment, in which they may have to wait.
		vforks) is_near "$name" "$(waited "$name")" "$time" "$unsure" 2 ;;
		starts) ;;
		# It shares its CPU, for a time that it does not choose. The kernel knows for how long it was ready.
		signalled) is_near "$name" "$(waited "$name")" "$time" "$unsure" 1 $((delayed * 98 / 100 - 2000000)) ;;
		*) is_near "$name" "$(waited "$name")" "$time" "$unsure" ;;
		esac
		case $name in
		locks | vforks) ;;
		*) is_ready "$name" "$delayed" "$late" "$unsure" ;;
		esac
	done <"$TMP/waited"
	while read -r name state waker; do
		blocked=$(waited "$name" '!$5')
		told=$(waited "$name" "!\$5 && \$2 ~ /$state/")
		check "$name: $state for nearly all of the time that it was blocked" \
			awk -v told="$told" -v all="$blocked" 'BEGIN { exit !(all > 0 && told >= 0.99 * all) }'
		# Some hosts run no BPF program while a thread of their own is interrupted, so the waker is unknown. In
		# a guest it is known.
		told=$(waited "$name" "!\$5 && \$3 ~ /$waker/")
		wrong=$(waited "$name" "!\$5 && \$3 !~ /$waker/ && \$3 != \"-\"")
		check "$name: woken by $waker, and by nobody else: $told, $wrong of $blocked ns" \
			awk -v told="$told" -v wrong="$wrong" -v all="$blocked" \
				-v guest="${waits_least:-0}" 'BEGIN {
				exit !(all > 0 && told >= (guest ? 0.99 : 0.9) * all && wrong <= 0.01 * all)
			}'
	done <<-END
		sleeps ^sleeping$ irq
		reads_pipe ^sleeping$ ^child$
		reads_socket ^sleeping$ ^child$
		locks ^sleeping$ holder|irq
		stopped ^stopped$|^sleeping$ ^child$
		traced ^traced$|^sleeping$ ^child$
		exits ^sleeping$ ^child$
		vforks ^blocked$|^sleeping$ ^child$
	END
	is 'preempted: nobody wakes it' "$(waited preempted '$2 == "preempted" && $3 != "-"')" 0
	check 'vforks: most of the time it was blocked' awk -v told="$(waited vforks '$2 == "blocked"')" \
		-v all="$(waited vforks '!$5')" 'BEGIN { exit !(told > 0.8 * all) }'
	for name in stopped traced; do
		check "$name: most of the time it was $name" awk -v told="$(waited $name "\$2 == \"$name\"")" \
			-v all="$(waited $name '!$5')" -v least="${waits_least:-0}" \
			'BEGIN { exit !(told > 0.9 * all || (least && told >= least)) }'
	done
	is 'locks: its system calls' "$(awk '$1 == "locks" && $3 == "holder" { print $4 }' "$TMP/rows" | sort -u)" futex
}

# waits_have_stacks: each function of the workload waits in the function of the kernel for its reason, in its state
waits_have_stacks() {
	"$TPROF" record --off-cpu -o "$TMP/waits.pb.gz" -- "$WORKLOAD/waits" >"$TMP/waited" 2>"$TMP/stderr"
	is 'call stacks: exit code' $? 0
	"$TPROF" export -i "$TMP/waits.pb.gz" -f folded -o "$TMP/waits"
	while read -r name pattern state; do
		like "$name: where it waits" "$(grep ";$name;" "$TMP/waits" | sort -n -k 2 | sed 's/.*;main;/;/')" \
			";$name;(.*;)?($pattern);(.*;)?schedule;__schedule;\\($state\\) [0-9]+"
	done <<-END
		sleeps do_nanosleep sleeping: timer
		reads_pipe (anon_)?pipe_read sleeping: pipe
		reads_socket unix_stream_(recvmsg|read_generic) sleeping: network
		locks futex_(do_)?wait(_queue)? sleeping: lock
		preempted (irqentry_|syscall_)?exit_to_user_mode[a-z_]*|do_notify_resume preempted
		stopped do_signal_stop stopped
		traced ptrace_stop[a-z0-9.]* traced
		vforks (kernel_clone|wait_for_completion[a-z_]*|wait_for_vfork_done) blocked: child
	END
}

# woken_by NAME PATTERN [LEAST]: for nearly all of the time in which threads wait in NAME of the workload wakers, what
# stands above the leaf in $TMP/folded is PATTERN, an extended regular expression. LEAST: how much, instead of 0.99.
# A thread that lost its CPU on the way to its wait was ready to run: nobody woke it, and nothing stands there.
woken_by() {
	check "$1: its wakers are right for ${3:-0.99} of the time at least" awk -v name=";$1;" -v pattern="^($2)\$" \
		-v least="${3:-0.99}" '
		index($0, name) && index($0, ";--;") {
			weight = $NF
			sub(/ [0-9]+$/, "")
			all += weight
			if (substr($0, index($0, ";--;") + 4) ~ pattern)
				right += weight
			else
				print weight, $0
		}
		END { exit !(all > 1.5e8 && right >= least * all) }' "$TMP/folded"
}

# waits_have_wakers: the call stacks of wakers are those of the functions that wake, with the wakers of these
waits_have_wakers() {
	"$TPROF" record --wakeups=2 --format folded -o "$TMP/folded" -- "$WORKLOAD/wakers" 2>"$TMP/stderr"
	is 'wakers: exit code' $? 0
	like 'wakers: nothing is lost' "$(cat "$TMP/stderr")" ', (0 lost|[0-9]+ lost \(engine_missed [0-9]+\))'
	wakes='try_to_wake_up;[^-]*;wakes_'
	# The second waker is there unless the thread came so late to its wait that the first one did not wait any more.
	for kind in futex pipe socket passed; do
		first="$wakes$kind;[^-]*by_$kind" second='[[](soft)?irq[]]'
		[ $kind != passed ] || second="${wakes}first;[^-]*by_first"
		woken_by "waits_$kind" "$first(;--;$second)?"
		woken_by "waits_$kind" "$first;--;$second" 0.8
	done
	woken_by waits_timer '[[](soft)?irq[]]'
	# Its waker waited before this thread did: who ended that has no part in it.
	woken_by waits_busy "${wakes}busy;[^-]*by_busy"
	is 'wakers: nothing of the programs' "$(grep -cE 'bpf_prog|bpf_trace|traceiter' "$TMP/folded")" 0

	# One waker, as a profile: the ledger closes, and the name of the waker is the leaf.
	"$TPROF" record --wakeups -o "$TMP/wakers" -- "$WORKLOAD/wakers" 2>"$TMP/stderr"
	"$TPROF" report --json -i "$TMP/wakers" >"$TMP/json"
	ledger_closes 'one waker' "$TMP/json"
	is 'one waker: the leaves have all of their names' "$(jq -r '[.rows[] | select(.self.weight > 0) | .name] |
		map(select(test("^by_|irq"))) | unique | join(" ")' "$TMP/json" | sed 's/\[softirq\] *//')" \
		'[irq] by_busy by_first by_futex by_passed by_pipe by_socket'
	"$TPROF" export -i "$TMP/wakers" -f folded -o "$TMP/folded"
	woken_by waits_passed "${wakes}passed;[^-]*by_passed"
}

# waits_of_32bit_calls FILTER: a 32-bit system call has the number of another one, whose name is not shown. In guests,
# because the kernel of a host may not have any. FILTER: the object wait_members
waits_of_32bit_calls() {
	[ "$(uname -m)" = x86_64 ] || return 0
	"$TPROF" run "$1" --json --off-cpu -- "$WORKLOAD/hands" --32-bit >"$TMP/json" 2>"$TMP/stderr"
	is '32-bit system calls: exit code' $? 0
	ledger_closes '32-bit system calls' "$TMP/json"
	read_waits
	is '32-bit system calls: no wrong name' "$(awk '$1 == "left" && $2 == "sleeping" { print $4 }' "$TMP/rows" |
		sort -u)" '[no_system_call]'
}

# waits_add_up: the ledger closes on a busy machine, and the rows have what it says was counted
waits_add_up() {
	"$TPROF" top --json --off-cpu --duration 1 >"$TMP/json" 2>"$TMP/stderr"
	is 'all threads: exit code' $? 0
	ledger_closes 'all threads' "$TMP/json"
	rows_add_up 'all threads' "$TMP/json"
	is 'all threads: the unit' "$(jq -r '"\(.event) \(.unit)"' "$TMP/json")" 'off-cpu ns'
}

# waits_before_the_start FILTER: a thread that waits before the session starts waits from its start on, in each kind of
# scope. FILTER: the object wait_members
waits_before_the_start() {
	members=$1
	background "$WORKLOAD/sleepers" 1
	sleeper=$pid
	cgroups=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	set -- "-p $sleeper" "-t $sleeper" '--comm sleepers'
	if [ -n "$cgroups" ] && mkdir "$cgroups/tprof-test-$$" 2>/dev/null; then
		echo "$sleeper" >"$cgroups/tprof-test-$$/cgroup.procs"
		at_exit "kill $sleeper 2>/dev/null; sleep 0.2; rmdir $cgroups/tprof-test-$$"
		set -- "$@" "-G $cgroups/tprof-test-$$"
	fi
	for scope; do
		# shellcheck disable=SC2086 # an option and its value
		"$TPROF" run "$members" --json --off-cpu --duration 0.5 $scope >"$TMP/json" 2>"$TMP/stderr"
		ledger_closes "waits before, $scope" "$TMP/json"
		check "waits before, $scope: as long as the session" jq -e '[.tables[].rows[] | select(.key |
			test("comm=sleepers waker= state=sleeping syscall=(pause|ppoll) ")).weight] as $all |
			$all | length == 1 and .[0] > 0.45e9' "$TMP/json"
		is "waits before, $scope: nobody else" "$(jq -r '[.tables[].rows[].key |
			select(test("comm=sleepers ") | not)] | length' "$TMP/json")" 0
	done
	"$TPROF" record --off-cpu --duration 0.5 -p "$sleeper" --format folded -o "$TMP/folded" 2>"$TMP/stderr"
	where='(do_nanosleep|hrtimer_nanosleep|.*_pause|do_sys_poll;[a-z_;]*range_clock)(;schedule;__schedule)?'
	like 'waits before: where' "$(cat "$TMP/folded")" "^sleepers;.*;$where;\\(sleeping: [a-z]+\\) [0-9]+$"
}

# waits_in_progress: a thread that sleeps all the time is in each interval, with the length of the interval
waits_in_progress() {
	"$TPROF" top --json --off-cpu -d 0.5 -- sleep 2.2 >"$TMP/json" 2>"$TMP/stderr"
	is 'in progress: exit code' $? 0
	ledger_closes 'in progress' "$TMP/json"
	rows_add_up 'in progress' "$TMP/json"
	check 'in progress: several intervals' test "$(jq -s length "$TMP/json")" -ge 4
	# The first interval has the wait before exec, too, and the last one may be empty.
	is 'in progress: the function' "$(jq -sr '.[1:-1][].functions[0].symbol' "$TMP/json" | sort -u)" \
		hrtimer_nanosleep
	# On a busy machine, a part ends a moment before or after its interval; the sum of all parts is exact.
	check 'in progress: each interval has its part' jq -es '[.[1:-1][] |
		(([.functions[].weight] | max) / (.duration_s * 1e9))] | min > 0.5 and max < 1.5' "$TMP/json"
	check 'in progress: no part is counted twice' jq -es '[.[].functions[] |
		select(.symbol == "hrtimer_nanosleep").weight] | add > 2.17e9 and add < 2.3e9' "$TMP/json"
}

# record_waits OPTION... -- NAME: records the waits of one function of the workload, as JSON. Sets $waited, in ns.
record_waits() {
	"$TPROF" record --off-cpu -o "$TMP/profile" "$@" >"$TMP/out" 2>"$TMP/stderr" || diag "$(cat "$TMP/stderr")"
	"$TPROF" report --json -i "$TMP/profile" >"$TMP/json"
	waited=$(awk '{ print $2 }' "$TMP/out")
}

# raw_waits [OPTION...]: a raw recording has each wait, with its time and its state
raw_waits() {
	record_waits --raw "$@" -- "$WORKLOAD/waits" sleeps
	ledger_closes 'raw' "$TMP/json"
	check 'raw: the waits weigh what the program says' jq -e --argjson waited "$waited" \
		'.ledger.weight.aggregated > 0.95 * $waited' "$TMP/json"
	"$TPROF" export -i "$TMP/profile" -f folded -o "$TMP/folded"
	check 'raw: each wait has its state' awk '!/;\([a-z: ]+\) [0-9]+$/ { print "# " $0; without = 1 }
		END { exit without }' "$TMP/folded"
	# On a busy machine, the thread is ready to run for some of the time.
	check 'raw: for most of the time, it sleeps until a timer wakes it' awk -v waited="$waited" '
		/;sleeps;.*;\(sleeping: timer\) [0-9]+$/ { sum += $NF }
		END { exit !(sum > 0.5 * waited) }' "$TMP/folded"
}

# waits_below_the_minimum: they are in the ledger, with their weight. The naps of 1 ms are so short.
waits_below_the_minimum() {
	record_waits --min 5ms -- "$WORKLOAD/waits" locks
	ledger_closes 'minimum' "$TMP/json"
	check 'minimum: shorter waits are counted' jq -e '.ledger.below_min >= 20 and
		.ledger.weight.below_min >= 20e6 and .ledger.weight.below_min < 5e6 * .ledger.below_min' "$TMP/json"
	check 'minimum: only longer ones are in rows' jq -e '.ledger.weight.done >= 5e6 * .ledger.done and
		.ledger.done > 0' "$TMP/json"
	check 'minimum: nothing vanishes' jq -e --argjson waited "$waited" \
		'.ledger.weight | .done + .below_min > 0.98 * $waited' "$TMP/json"
}

# threads_add_up: the times of each thread, running, ready to run and blocked, are the time that passed. The module
# starts one event after the other, and tprof may lose the CPU to these threads in between: $threads_alike (0.995) says
# how much all have at least of what one of them has.
threads_add_up() {
	background "$WORKLOAD/sleepers" 5
	of=$pid
	for i in 1 2 3; do
		background "$WORKLOAD/spin" --seconds 600
		of=$of,$pid
	done
	await grep -q . "$TMP/background.out"
	"$TPROF" top --threads --json --duration "${threads_seconds:-2}" -p "$of" >"$TMP/json" 2>"$TMP/stderr"
	is 'threads: exit code' $? 0
	ledger_closes 'threads' "$TMP/json"
	is 'threads: all of them' "$(jq '.threads | length' "$TMP/json")" 9
	check 'threads: all of the time, of each' jq -e --argjson alike "${threads_alike:-0.995}" '
		[.threads[] | .running.ns + .ready.ns + .blocked.ns] | max as $most | min > $alike * $most' "$TMP/json"
	is 'threads: their sum is what was counted' "$(jq -r '([.threads[] | .running.ns + .ready.ns + .blocked.ns] |
		add) - .ledger.weight.aggregated' "$TMP/json")" 0
}
