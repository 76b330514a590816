#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: sanitized=all
# On a kernel without bpf(2) or perf_event_open(2), or in a container that forbids them, tprof prints one sentence that
# names the system call, one hint, and nothing on standard output, and exits with code 4.
. "${0%/*}/../lib/live.sh"

cc -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -O1 "${0%/*}/programs/without_syscall.c" -o "$TMP/without_syscall" ||
	bail 'cannot build without_syscall'

# without CALL ERROR COMMAND...: runs the command with a system call that fails with the error
without() {
	"$TMP/without_syscall" "$@"
}

# A kernel without the system call does not have its sysctl files either: a tmpfs hides them.
built_without() {
	# shellcheck disable=SC2016 # expanded by the inner shell
	unshare -m sh -c 'mount -t tmpfs none /proc/sys/kernel && exec "$0" "$1" ENOSYS "$2" top --duration 1' \
		"$TMP/without_syscall" "$1" "$TPROF"
}

# cannot CALL ERROR SENTENCE HINT: all commands that sample print the error, and end before they start anything
cannot() {
	for cannot_command in 'top --duration 1' 'top --json --duration 1' 'top -e page-faults --duration 1' \
			      'top --engine perf --duration 1' 'run cpu --duration 1'; do
		# shellcheck disable=SC2086 # the command is words
		refuses "$1 says $2: $cannot_command" 4 "$3" without "$1" "$2" "$TPROF" $cannot_command
	done
	refuses "$1 says $2: top -- COMMAND" 4 "$3" without "$1" "$2" "$TPROF" top -- touch "$TMP/launched"
	like "$1 says $2: what to do" "$(sed -n 2p "$TMP/stderr")" "$4"
	check "$1 says $2: the command was not started" test ! -e "$TMP/launched"
}

# finds CALL ERROR SENTENCE HINT: doctor reports the error on standard output and exits with code 4
finds() {
	without "$1" "$2" "$TPROF" doctor >"$TMP/stdout" 2>"$TMP/stderr"
	is "$1 says $2: doctor: exit code" $? 4
	like "$1 says $2: doctor: what is missing" "$(cat "$TMP/stdout")" "^missing +${1%_event_open} +$3"
	like "$1 says $2: doctor: the engine" "$(cat "$TMP/stdout")" "^engine perf cannot run here: .*$3"
	is "$1 says $2: doctor: nothing else is missing" "$(grep -c '^missing' "$TMP/stdout")" 1
	is "$1 says $2: doctor: nothing on stderr" "$(cat "$TMP/stderr")" ''
	is "$1 says $2: doctor --json" "$(without "$1" "$2" "$TPROF" doctor --json | jq -r '
		[.can_run, (.probes[] | select(.required and (.ok | not)).name)] | join(" ")')" \
		"false ${1%_event_open}"
	without "$1" "$2" "$TPROF" list engines >"$TMP/stdout" 2>"$TMP/stderr"
	is "$1 says $2: list engines: exit code" $? 0
	like "$1 says $2: list engines: why" "$(cat "$TMP/stdout")" "^perf +cannot be used: .*$3"
	like "$1 says $2: list engines: what to do" "$(cat "$TMP/stdout")" "hint: .*$4"
	is "$1 says $2: list engines: nothing on stderr" "$(cat "$TMP/stderr")" ''
}

for call in bpf perf_event_open; do
	for error in ENOSYS EPERM; do
		case $error in
		ENOSYS) sentence="$call(\\(\\))? is switched off for this process" hint="outside .*allow $call" ;;
		*) sentence="$call(\\(\\))? is refused despite the capabilities" hint='outside of containers' ;;
		esac
		cannot "$call" "$error" "$sentence" "$hint"
		finds "$call" "$error" "$sentence" "$hint"
	done
done

refuses 'a kernel without bpf()' 4 'the kernel has no bpf\(\) \(CONFIG_BPF_SYSCALL\)' \
	built_without bpf
like 'a kernel without bpf(): what to do' "$(sed -n 2p "$TMP/stderr")" 'boot a kernel'
refuses 'a kernel without perf events' 4 'the kernel has no perf_event_open \(CONFIG_PERF_EVENTS\)' \
	built_without perf_event_open

# Listing sessions and checking filters needs only bpf().
for error in ENOSYS EPERM EACCES; do
	refuses "bpf says $error: list sessions" 4 'sessions: bpf\(\) is (switched off|refused despite)' \
		without bpf "$error" "$TPROF" list sessions
	is "bpf says $error: filter check" "$(code without bpf "$error" "$TPROF" filter check cpu)" 4
	like "bpf says $error: filter check: why" "$(without bpf "$error" "$TPROF" filter check cpu 2>&1)" \
		'engine perf: not checked: bpf: bpf\(\) is (switched off|refused)'
	check "perf_event_open says $error: list sessions" without perf_event_open "$error" "$TPROF" list sessions
	check "perf_event_open says $error: filter check" \
		without perf_event_open "$error" "$TPROF" filter check cpu
done

# Commands that need neither system call work.
for list in events filters; do
	check "bpf says ENOSYS: list $list" without bpf ENOSYS "$TPROF" list "$list"
done
is 'perf_event_open says ENOSYS: no event can be used' \
	"$(without perf_event_open ENOSYS "$TPROF" list events --json | jq '[.[].usable] | any')" false
like 'perf_event_open says ENOSYS: doctor promises no substitute for cycles' \
	"$(without perf_event_open ENOSYS "$TPROF" doctor)" '^absent +pmu +cycles cannot be tested: no perf_event_open'

done_testing
