# SPDX-License-Identifier: GPL-2.0-only
# Runs programs that change a running session (tests/vm/programs/), which print TAP. Needs live.sh; on the host also
# compile.sh.

TPROF_FILTER_PATH=${TPROF_FILTER_PATH:-$BUILD/filters}
export TPROF_FILTER_PATH

# changes_build PROGRAM: on the host; the machines have it built
changes_build() {
	compile "$TMP/$1" "$BUILD/libtprof.a" "${0%/*}/../vm/programs/$1.c"
	CHANGES=$TMP
}

# changes WHAT PROGRAM ARGUMENT...
changes() {
	changes_what=$1 changes_program=${CHANGES:-$BUILD}/$2
	shift 2
	"$changes_program" "$@" >"$TMP/said" 2>"$TMP/stderr"
	is "$changes_what: exit code" $? 0
	is "$changes_what: what does not work" "$(grep -v '^ok \|^# ' "$TMP/said" | grep -vx '1\.\.[0-9]*')" ''
	check "$changes_what: all of it was tried" grep -qx "1\.\.$(grep -c '^ok ' "$TMP/said")" "$TMP/said"
	sed -n 's/^# //p; s/^ok [0-9]* - \(.* missed, .*\|.* are in the ledger, .*\)/\1/p' "$TMP/said" |
		while read -r line; do
			diag "$changes_what: $line"
		done
	is "$changes_what: nothing is printed" "$(cat "$TMP/stderr")" ''
}

# hands_over FILTER...: on the module; several processes have one session with the filter, one after the other
hands_over() {
	for hands_over_filter; do
		changes "$hands_over_filter" hand_over "$hands_over_filter"
	done
	# The kernel frees the maps some time later.
	await no_sessions
	check 'no session is left' no_sessions
}

no_sessions() {
	[ "$("$TPROF" list sessions --json | jq length)" -eq 0 ]
}
