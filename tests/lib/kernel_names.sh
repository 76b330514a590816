# SPDX-License-Identifier: GPL-2.0-only
# names_singly WHAT OPTION...: the kernel names single functions, so that tprof does not read /proc/kallsyms; and the
# names are those of the list. Needs live.sh.

names_singly() {
	what=$1
	shift
	background "$WORKLOAD/syscalls" 600
	"$TPROF" top -v -v --json --duration 2 -F 997 -p "$pid" "$@" >"$TMP/json" 2>"$TMP/stderr"
	is "$what: top runs" $? 0
	end "$pid"
	ledger_closes "$what" "$TMP/json"
	rows_add_up "$what" "$TMP/json"
	check "$what: it has samples of the kernel" [ "$(samples_of "$TMP/json" '.mode == "kernel"')" -gt 50 ]
	is "$what: the list is not read" "$(grep -F /proc/kallsyms "$TMP/stderr")" ''
	awk '$2 ~ /[tTwW]/ { print $3 }' /proc/kallsyms >"$TMP/listed"
	jq -r '.functions[] | select(.object == "[kernel]").symbol' "$TMP/json" >"$TMP/named"
	check "$what: functions of the kernel" [ -s "$TMP/named" ]
	is "$what: all are in the list" "$(grep -vxFf "$TMP/listed" "$TMP/named")" ''
}
