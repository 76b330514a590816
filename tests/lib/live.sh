# SPDX-License-Identifier: GPL-2.0-only
# For tests on the running kernel: background processes that end with the test, and questions to the JSON of
# `tprof top`. Brings tap.sh and ledger.sh along.

. "${0%/*}/../lib/tap.sh"
. "${0%/*}/../lib/ledger.sh"

WORKLOAD=$BUILD/workload
FILTER_INCLUDE=${FILTER_INCLUDE:--Iinclude -Ibpf/include}

[ "$(id -u)" -eq 0 ] || skip_all 'needs root'
[ -x "$TPROF" ] || bail "there is no $TPROF: make builds it"

# Runs a command in the background, as $pid; ends it when the test ends.
background() {
	"$@" >>"$TMP/background.out" 2>&1 </dev/null &
	pid=$!
	at_exit "kill $pid 2>/dev/null"
}

# The same, with what others leave over: for machines that are slow, where starting tprof is not what is tested.
lazy() {
	background "$@"
	renice -n 19 -p "$pid" >/dev/null
}

# Ends a background process and waits for it.
end() {
	kill "$1" 2>/dev/null
	wait "$1" 2>/dev/null
	return 0
}

is_over() {
	! grep -q . "/proc/$1/cmdline"
}

# ends_by_itself NAME PID: this tprof, in the background, comes to its end, and succeeds; if it goes on, it is killed
ends_by_itself() {
	await is_over "$2" || {
		diag "$1: it goes on"
		kill -9 "$2"
	}
	check "$1" wait "$2"
}

# without_loss FILE: takes the sentences out that say how much is missing, and who was in the way. Two programs that
# sample at once miss some of each other's time, and a busy machine has more to tell.
without_loss() {
	sed -i '/ of the samples in scope are missing: /d; /warning: engine_missed: /d' "$1"
}

# lists JQ: is that true of the sessions that tprof lists?
lists() {
	"$TPROF" list sessions --json | jq -e "$1" >/dev/null
}

await_list() {
	await lists "$1" || {
		diag "not so: $1: $("$TPROF" list sessions --json 2>&1)"
		return 1
	}
}

# await_sessions NUMBER: until the module has so many sessions that are running
await_sessions() {
	await_list "[.[] | select(.session.state == \"running\")] | length == $1"
}

# await_session_of PID: until this tprof has started a session. It waits for what comes of it then, with epoll; in lists
# it is before its events are enabled.
await_session_of() {
	await grep -Eq '(e|ep_)poll' "/proc/$1/wchan" || {
		diag "process $1 does not wait for samples, but in: $(cat "/proc/$1/wchan" 2>&1)"
		return 1
	}
}

# works ID MS: until the process or thread has had so much more CPU time
works() {
	# shellcheck disable=SC2016 # of the shell there
	await sh -c '[ "$(cut -d " " -f 1 "/proc/$0/schedstat")" -gt "$1" ]' "$1" \
		$(($(cut -d ' ' -f 1 "/proc/$1/schedstat") + $2 * 1000000))
}

# Unloads the module. A filter that was just detached keeps it for as long as RCU takes.
unload_module() {
	await rmmod tprof
}

read_pinned() {
	{ bpftool -j map dump pinned "$1_a" && bpftool -j map dump pinned "$1_b"; } >"$TMP/generations" &&
		jq -s 'add | map(.formatted | select(.))' "$TMP/generations" >"$2" &&
		jq -e "any(.[]; ${3:-true})" "$2" >/dev/null
}

# pinned_entries TABLE FILE [WHICH]: the keys and values of a table that a filter pinned, in both of its generations, as
# bpftool shows them, as soon as there is one that WHICH (a jq condition) selects: tprof empties the one while the other
# fills. What is deleted while bpftool reads it has no value any more; what is counted in both is there twice.
pinned_entries() {
	await read_pinned "$@" || {
		diag "not in $1: ${3:-anything}: $(cat "$TMP/generations")"
		return 1
	}
}

# profile FILE OPTION...: one JSON object from `tprof top`, for the seconds in $seconds (5)
profile() {
	profile_file=$1
	shift
	if ! "$TPROF" top --json --duration "${seconds:-5}" "$@" >"$profile_file" 2>"$TMP/stderr"; then
		diag "tprof top $*: $(cat "$TMP/stderr")"
		return 1
	fi
}

# samples_of FILE WHICH: of the functions that WHICH (a jq condition) selects
samples_of() {
	jq -r '[.functions[] | select('"$2"').samples] | add // 0' "$1"
}

# profile_enough FILE WHICH OPTION...: as profile, and if that brought less than $enough samples of what WHICH selects
# (9,000), because others had the CPU too, again for longer. With 9,000, a share of one half is within 2 points: these
# are nearly four standard deviations if chance is all, and six and more of what spin's rounds make of it (accuracy.sh).
profile_enough() {
	enough_file=$1 enough_which=$2
	shift 2
	profile "$enough_file" "$@" || return 1
	got=$(samples_of "$enough_file" "$enough_which")
	[ "$got" -lt "${enough:-9000}" ] || return 0
	diag "only $got samples in ${seconds:-5} s"
	seconds=$((${seconds:-5} * (${enough:-9000} * 5 / 3) / (got + 1000) + 1)) profile "$enough_file" "$@"
}

# share FILE WHICH NAME: percent of the samples of the functions that WHICH (a jq condition) selects that is in
# functions with the word NAME in their symbol. Not of their weight: all that a virtual CPU was kept waiting for a real
# one weighs on the one sample that comes then.
share() {
	jq -r --arg name "(^|[^A-Za-z0-9_])$3([^A-Za-z0-9_]|\$)" '
		[.functions[] | select('"$2"')] |
		(map(select(.symbol | test($name)).samples) | add // 0) * 100 / (map(.samples) | add // 1)' "$1"
}

# The known truth of the spin workloads. truth WHAT FILE WHICH [IDLE]
truth() {
	within "$1: hot() has 50 %" "$(share "$2" "$3" hot)" 50 2
	within "$1: warm() has 30 %" "$(share "$2" "$3" warm)" 30 2
	within "$1: mild() has 20 %" "$(share "$2" "$3" mild)" 20 2
	closes "$1" "$2" "${4:-.idle}"
}

# closes WHAT FILE [IDLE]: the identities of the ledger of `top`, which makes one counting call for each
# sample that is not idle. IDLE is a jq expression for the idle samples in scope: .idle, or 0 where scope
# leaves them out. Of intervals, each has to close.
closes() {
	ledger_closes "$1" "$2"
	is "$1: each sample done was counted, refused or idle" \
		"$(ledger "$2" ".done - (${3:-.idle}) - .aggregated - .table_full - .table_busy - .no_memory" |
			sort -u)" 0
	rows_add_up "$1" "$2"
}
