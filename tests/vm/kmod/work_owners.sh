# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=x86-64,arm64,next,next-arm64 all=arm64 seconds=300
# Work that the kernel does for somebody has the right owner, or none where it is not known: work items that a process
# queues, also if it has exited since, that queue others or themselves, that a timer queues, and sections that a module
# declares. On both engines, and in samples that fire in an NMI.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/work_owners.sh"

members="${0%/*}/../filters/owner_members.bpf.o"
parameters=/sys/module/tprof_owned/parameters
lists=/sys/kernel/debug/tprof/owners

# asks NAME MS: a process that exits at once asks for work; its id is in $asked
asks() {
	# shellcheck disable=SC2016 # of the shell there
	asked=$(sh -c 'echo $$; echo "$1" >"$0"' "$parameters/$1" "$2")
}

# owner PID: the condition of awk for the shell that asked
owner() {
	echo "\$6 == $1 && \$7 == $1 && !\$8 && !\$9 && \$11 && \$12 == \"sh\""
}

# column NAME: of the list in debugfs
column() {
	awk -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR == 2 { print $at[name] }' "$lists"
}

ask_for_work() {
	asks work 400 && work=$asked
	asks chain 400 && chain=$asked
	asks again 400 && again=$asked
	asks bh 400 && bh=$asked
	asks timer 400
	asks late 400
	asks taken 400
	cat "$parameters/busy" >/dev/null
	asks section 400
	asks softirq 1500
}

# charges ENGINE: what both engines tell
charges() {
	is_charged "$1: a work item" owned_work "$(owner "$work")"
	is_charged "$1: one after the other" owned_chain "$(owner "$chain")"
	is_charged "$1: again and again" owned_again "$(owner "$again")"
	is_uncharged "$1: queued by a timer" owned_timer
	is_uncharged "$1: queued with a delay" owned_late
	is_uncharged "$1: queued by a timer, after a process has cancelled it" owned_taken
	is_uncharged "$1: the rest of a soft interrupt in a section" owned_after
}

insmod "$TPROF_MODULES/tprof_owned.ko" || bail 'the module of the test does not load'
is 'no filter: nothing is noted' "$(column filters) $(column capacity)" '0 0'

# charges_by_module WHAT OPTION...: on the module, with these options
charges_by_module() {
	what=$1
	shift
	check "$what: a session" begin_owners "$members" --engine kmod "$@"
	is "$what: it notes owners" "$(column filters)" 1
	ask_for_work
	is "$what: nothing is left" "$(column working) $(column waiting)" '0 0'
	end_owners "$what"
	is "$what: the engine" "$(jq -r .engine "$TMP/json")" kmod
	charges "$what"
	is_charged "$what: in a soft interrupt" owned_bh "$(owner "$bh")"
	is_charged "$what: a section" owned_section '$8 == 7 && $9 == 1099511627776 && !$6 && !$7 && $12 == "-"'
	is_charged "$what: a section in it" owned_inner '$8 == 8 && $9 == 2'
	is_charged "$what: the section again" owned_outer '$8 == 7 && $9 == 1099511627776'
	is_charged "$what: a section of a soft interrupt" owned_softirq '$8 == 9 && $9 == 3'
	is_charged "$what: a section that is interrupted" owned_beside '$8 == 7 && $9 == 4'
}

charges_by_module timer -e cpu-clock -F 997
# Samples that are staged, with their owner.
if [ "$(uname -m)" = x86_64 ]; then
	insmod "$TPROF_MODULES/tprof_nmi.ko" || bail 'the source nmi does not load'
	# An emulated CPU that shares a CPU of the host with others takes few NMIs.
	owned_least=5
	charges_by_module NMI -e nmi -c 1000000
	owned_least=
	await rmmod tprof_nmi
else
	charges_by_module counter -e cycles -F 997
fi
is 'all work items were noted' "$(column full) $(column replaced)" '0 0'

check 'perf: a session' begin_owners "$members" --engine perf -F 997
ask_for_work
end_owners perf
charges perf
# On a real-time kernel, soft interrupts run in threads.
case $(uname -v) in
*PREEMPT_RT*) is_charged 'perf: in a soft interrupt' owned_bh "$(owner "$bh")" ;;
*) is_uncharged 'perf: work in a soft interrupt is not known' owned_bh ;;
esac
is_uncharged 'perf: sections are not known' 'owned_section|owned_softirq'
owners_of_terminal kmod "$members"
shows_owners kmod

# Waits have the owner, too.
for engine in kmod perf; do
	check "$engine: a session with waits" begin_owners "$members" --engine $engine --off-cpu
	asks wait 500
	cat "$parameters/busy" >/dev/null
	end_owners "$engine, waits"
	check "$engine: a wait in a work item" awk -v pid="$asked" '
		$2 ~ /^kworker/ && $5 && $6 == pid { sum += $4 } END { exit sum < 0.95 * 5e8 }' "$TMP/rows"
done
# A filter that was just detached is freed a moment later.
no_filters() {
	[ "$(column filters)" -eq 0 ]
}
check 'without filters nothing is noted' await no_filters
rmmod tprof_owned
done_testing
