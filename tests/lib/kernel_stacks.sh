# SPDX-License-Identifier: GPL-2.0-only
# What the module says about learned steps, for guest tests.

KERNEL_STACKS=/sys/kernel/debug/tprof/kernel_stacks
PARAMETERS=/sys/module/tprof/parameters

# stacks COLUMN: prints a column of the list
stacks() {
	awk -F '\t' -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i } NR == 2 { print $at }' \
		"$KERNEL_STACKS"
}

# sets PARAMETER VALUE: sets a parameter of the module, prints the error
sets() {
	(echo "$2" >"$PARAMETERS/$1") 2>&1 | sed 's/.*\(write error: \)/\1/'
}

# record_kernel FILE COMMAND...: records kernel stacks of a command with the module, to FILE and FILE.json
record_kernel() {
	record_file=$1
	shift
	"$TPROF" record --engine kmod -F 997 --kernel-only -o "$record_file" -- "$@" 2>"$TMP/stderr" ||
		{ not_ok 'recorded' "$(cat "$TMP/stderr")"; return 1; }
	"$TPROF" report --json -i "$record_file" >"$record_file.json"
	ledger_closes 'recorded' "$record_file.json"
	"$TPROF" export --format folded -i "$record_file" -o "$record_file.folded" 2>"$TMP/stderr"
}
