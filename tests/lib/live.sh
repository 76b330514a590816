# SPDX-License-Identifier: GPL-2.0-only
# For tests on the running kernel: background processes that end with the test, and queries of the JSON of `tprof top`.
# Sources tap.sh and ledger.sh.

. "${0%/*}/../lib/tap.sh"
. "${0%/*}/../lib/ledger.sh"

WORKLOAD=$BUILD/workload
FILTER_INCLUDE=${FILTER_INCLUDE:--Iinclude -Ibpf/include}

[ "$(id -u)" -eq 0 ] || skip_all 'needs root'
[ -x "$TPROF" ] || bail "there is no $TPROF: make builds it"

# background COMMAND...: runs it as $pid, and ends it when the test ends
background() {
	"$@" >>"$TMP/background.out" 2>&1 </dev/null &
	pid=$!
	at_exit "kill $pid 2>/dev/null"
}

# lazy COMMAND...: the same with the lowest priority, so that tprof starts quickly on slow machines
lazy() {
	background "$@"
	renice -n 19 -p "$pid" >/dev/null
}

# end PID: ends a background process and waits for it
end() {
	kill "$1" 2>/dev/null
	wait "$1" 2>/dev/null
	return 0
}

is_over() {
	! grep -q . "/proc/$1/cmdline"
}

# ends_by_itself NAME PID: this background tprof ends and succeeds; it is killed if it does not end
ends_by_itself() {
	await is_over "$2" || {
		diag "$1: it goes on"
		kill -9 "$2"
	}
	check "$1" wait "$2"
}

# without_loss FILE: deletes the lines that report missing samples and their cause, engine_missed, and lost side-band
# events. Two samplers that run at the same time miss some samples of each other, and a busy machine causes more such
# lines.
without_loss() {
	sed -i '/ of the samples in scope are missing: /d; /warning: engine_missed: /d
		/warning: side-band events .* were lost: /d' "$1"
}

# lists JQ: the condition is true for the output of `tprof list sessions`
lists() {
	"$TPROF" list sessions --json | jq -e "$1" >/dev/null
}

await_list() {
	await lists "$1" || {
		diag "not so: $1: $("$TPROF" list sessions --json 2>&1)"
		return 1
	}
}

# await_sessions NUMBER: waits until NUMBER sessions are running
await_sessions() {
	await_list "[.[] | select(.session.state == \"running\")] | length == $1"
}

# await_session_of PID: waits until this tprof has started its session, and waits in epoll. `tprof list sessions` cannot
# tell, because it lists a session before its events are enabled.
await_session_of() {
	await grep -Eq '(e|ep_)poll' "/proc/$1/wchan" || {
		diag "process $1 does not wait for samples, but in: $(cat "/proc/$1/wchan" 2>&1)"
		return 1
	}
}

# works ID MS: waits until the process or thread has used MS ms more CPU time
works() {
	# shellcheck disable=SC2016 # of the shell there
	await sh -c '[ "$(cut -d " " -f 1 "/proc/$0/schedstat")" -gt "$1" ]' "$1" \
		$(($(cut -d ' ' -f 1 "/proc/$1/schedstat") + $2 * 1000000))
}

# stolen_ns [CPU]: prints the time that the hypervisor has taken from a CPU that was busy, or from all of them, ns
stolen_ns() {
	awk -v cpu="cpu${1:-}" -v hz="$(getconf CLK_TCK)" '$1 == cpu { printf "%.0f\n", $9 * 1e9 / hz }' /proc/stat
}

# stolen_at_most BEFORE: prints the most that it can have taken since stolen_ns printed BEFORE. The kernel tells it in
# whole units of CLK_TCK (10 ms), and adds to it at the next timer tick, at most 10 ms later. A machine that runs under
# no hypervisor loses nothing.
stolen_at_most() {
	if grep -qw hypervisor /proc/cpuinfo; then
		echo $(($(stolen_ns) - $1 + 2 * 1000000000 / $(getconf CLK_TCK)))
	else
		echo 0
	fi
}

# Unloads the module. A filter that was just detached holds a reference to it until an RCU grace period has passed.
unload_module() {
	await rmmod tprof
}

read_pinned() {
	{ bpftool -j map dump pinned "$1_a" && bpftool -j map dump pinned "$1_b"; } >"$TMP/generations" &&
		jq -s 'add | map(.formatted | select(.))' "$TMP/generations" >"$2" &&
		jq -e "any(.[]; ${3:-true})" "$2" >/dev/null
}

# pinned_entries TABLE FILE [WHICH]: writes the keys and values of a pinned table, from both of its generations, as
# bpftool prints them. Repeats that until WHICH (a jq condition) selects an entry, because tprof empties one generation
# while the other fills. An entry that is deleted while bpftool reads the table has no value and is left out; a key that
# is in both generations appears twice.
pinned_entries() {
	await read_pinned "$@" || {
		diag "not in $1: ${3:-anything}: $(cat "$TMP/generations")"
		return 1
	}
}

# profile FILE OPTION...: writes one JSON object from `tprof top`, which runs for $seconds (5)
profile() {
	profile_file=$1
	shift
	if ! "$TPROF" top --json --duration "${seconds:-5}" "$@" >"$profile_file" 2>"$TMP/stderr"; then
		diag "tprof top $*: $(cat "$TMP/stderr")"
		return 1
	fi
}

# samples_of FILE WHICH: prints the number of samples of the functions that WHICH (a jq condition) selects
samples_of() {
	jq -r '[.functions[] | select('"$2"').samples] | add // 0' "$1"
}

# user_mode_of PID: prints the condition of jq for its functions in user mode, whose shares are known. Interrupts and
# system calls take a share of their own, larger on some machines.
user_mode_of() {
	echo ".pid == $1 and .mode == \"user\""
}

# profile_enough FILE WHICH OPTION...: like profile, but if the functions that WHICH selects have less than $enough
# (9,000) samples because other processes used the CPU, it runs again for longer, twice at most. For a share of one half
# of 9,000 samples, 2 points are nearly four standard deviations if samples are random, and six or more for the rounds
# of spin (accuracy.sh).
profile_enough() {
	enough_file=$1 enough_which=$2
	shift 2
	profile "$enough_file" "$@" || return 1
	enough_seconds=${seconds:-5}
	for _ in 1 2; do
		got=$(samples_of "$enough_file" "$enough_which")
		[ "$got" -lt "${enough:-9000}" ] || return 0
		diag "only $got samples in $enough_seconds s"
		enough_seconds=$((enough_seconds * (${enough:-9000} * 5 / 3) / (got + 1000) + 1))
		seconds=$enough_seconds profile "$enough_file" "$@" || return 1
	done
}

# by_function FILE: adds up the rows of all processes in a profile that has thousands, because each query reads the file
by_function() {
	jq -c '.functions |= (group_by([.comm, .mode, .symbol, .object, .event]) |
		map(.[0] + { samples: map(.samples) | add, weight: map(.weight) | add }))' "$1" >"$1.few" &&
		mv "$1.few" "$1"
}

# share FILE WHICH NAME: of the samples of the functions that WHICH (a jq condition) selects, prints the percentage in
# functions with the word NAME in their symbol. It counts samples, not weight: after a virtual CPU has waited for a real
# one, a single sample carries the weight of the whole wait.
share() {
	jq -r --arg name "(^|[^A-Za-z0-9_])$3([^A-Za-z0-9_]|\$)" '
		[.functions[] | select('"$2"')] |
		(map(select(.symbol | test($name)).samples) | add // 0) * 100 / (map(.samples) | add // 1)' "$1"
}

# truth WHAT FILE WHICH [IDLE]: the shares of a spin workload are the known ones, and the ledger closes
truth() {
	within "$1: hot() has 50 %" "$(share "$2" "$3" hot)" 50 2
	within "$1: warm() has 30 %" "$(share "$2" "$3" warm)" 30 2
	within "$1: mild() has 20 %" "$(share "$2" "$3" mild)" 20 2
	closes "$1" "$2" "${4:-.idle}"
}

# closes WHAT FILE [IDLE]: checks the identities of the ledger of `top`, whose filter counts each sample that is not
# idle exactly once. IDLE is a jq expression for the idle samples in scope: .idle, or 0 if the scope excludes them. Each
# interval must close. A test of a filter that walks stacks sets $walks: a stack that the table of stacks refuses is in
# the ledger, too, but its sample is counted.
closes() {
	ledger_closes "$1" "$2"
	if [ -n "${walks:-}" ]; then
		is "$1: each sample done was counted, refused or idle" "$(ledger "$2" "
			(.done - (${3:-.idle}) - .aggregated) as \$rest | .table_full + .table_busy + .no_memory |
			\$rest >= 0 and \$rest <= ." | sort -u)" true
	else
		is "$1: each sample done was counted, refused or idle" \
			"$(ledger "$2" ".done - (${3:-.idle}) - .aggregated - .table_full - .table_busy - .no_memory" |
				sort -u)" 0
	fi
	rows_add_up "$1" "$2"
}
