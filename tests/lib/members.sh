# SPDX-License-Identifier: GPL-2.0-only
# Checks the members of samples with the filters `members` and `whole` (tests/live/filters). Needs live.sh.

period=1000000

# members_of PID ADDRESS: prints the key of the samples of a workload that is in the initial pid namespace; ADDRESS: do
# they have an address?
members_of() {
	start_code=$(sed 's/.*) //' "/proc/$1/stat" | cut -d ' ' -f 24)
	cgroup=$(sed -n 's/^0:://p' "/proc/$1/cgroup")
	echo "cgroup=${cgroup:-/} weight=$period data=0 event=0 tgid=spin ($1) tid=spin ($1) ns_tgid=$1 ns_tid=$1" \
		"exec_page=$((start_code / 4096 % 4294967296)) flags=0 time_is_now=1 cpu_is_this=1 has_ip=1" \
		"has_addr=$2 comm=spin"
}

# members_rows OBJECT OPTION...: writes the keys of a run to $TMP/rows; counts and the ledger are checked
members_rows() {
	members_name=$(basename "$1" .bpf.o)
	"$TPROF" run --json --duration 1 "$@" >"$TMP/json" 2>"$TMP/stderr" ||
		not_ok "run $members_name" "$(cat "$TMP/stderr")"
	ledger_closes "run $members_name" "$TMP/json"
	is "run $members_name: the table has each sample in scope" \
		"$(jq '[.tables[0].rows[].samples] | add' "$TMP/json")" "$(ledger "$TMP/json" .done)"
	jq -r '.tables[0].rows[].key' "$TMP/json" | sort >"$TMP/rows"
}

# members_are_right OBJECT ENGINE PID: every member of each sample of the workload is right. A sample of the module may
# weigh several periods.
members_are_right() {
	members_rows "$1" --engine "$2" -e cpu-clock -c $period --user-only -p "$3"
	[ "$2" = perf ] || sed -i -E "s/weight=[0-9]+000000 /weight=$period /" "$TMP/rows"
	is "$members_name on $2: every member of each sample" "$(sort -u "$TMP/rows")" "$(members_of "$3" 0)"
}

# members_of_faults OBJECT ENGINE: page faults have an address
members_of_faults() {
	members_rows "$1" --engine "$2" -e page-faults -c 1 -- "$WORKLOAD/faults" 1000
	check "$members_name on $2: there are page faults" \
		grep -q 'weight=1 .* has_addr=1 comm=faults$' "$TMP/rows"
	is "$members_name on $2: page faults have an address" "$(grep -c 'has_addr=0 comm=faults$' "$TMP/rows")" 0
}
