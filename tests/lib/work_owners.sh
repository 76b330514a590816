# SPDX-License-Identifier: GPL-2.0-only
# Checks of the owners of work (tprof_work_owner) in the output of the filter owner_members. For tests that sourced
# live.sh, on the running kernel or in a guest.

# begin_owners FILTER OPTION...: starts a session in the background, as $owners
begin_owners() {
	"$TPROF" run "$@" --json --duration 3600 >"$TMP/json" 2>"$TMP/stderr" &
	owners=$!
	at_exit "kill $owners 2>/dev/null"
	await_session_of $owners || {
		diag "$(cat "$TMP/stderr")"
		return 1
	}
}

# end_owners WHAT: ends it, and writes its rows to $TMP/rows: function, thread, samples, weight, 1 if there is an owner,
# and of the owner the process, thread, subsystem, id, 1 if it has a cgroup, 1 if it has a program image, and name or -
end_owners() {
	kill -INT $owners
	wait $owners
	ledger_closes "$1" "$TMP/json"
	jq -r '.tables[].rows[] | . as $row | .members | map({(.name): (.symbol // .text)}) | add |
		[.ip, .comm, $row.samples, $row.weight, .known, .owner_tgid, .owner_tid, .subsystem, .id, .cgroup,
		 .owner_exec, .owner_comm] | map(tostring | gsub(" "; "_") | if . == "" then "-" else . end) |
		join(" ")' "$TMP/json" >"$TMP/rows"
}

# owned FUNCTION CONDITION: of the samples in functions that the regular expression matches entirely, prints how many
# there are, how many have an owner, and how many have one for which the condition of awk, on the fields of a row, holds
owned() {
	awk -v name="^($1)\$" "\$1 ~ name { all += \$3; if (\$5) known += \$3; if (\$5 && $2) right += \$3 }
		END { print all + 0, known + 0, right + 0 }" "$TMP/rows"
}

# is_charged WHAT FUNCTION CONDITION: there are $owned_least samples (20), at least 95 % have that owner, and none has
# another one
is_charged() {
	charged=$(owned "$2" "$3")
	check "$1: of $charged samples, with an owner, with the right one" awk -v counts="$charged" \
		-v least="${owned_least:-20}" 'BEGIN {
		split(counts, n, " ")
		exit !(n[1] >= least && n[3] >= 0.95 * n[1] && n[2] == n[3])
	}' || grep -E "^($2) " "$TMP/rows" | head -n 20 | sed 's/^/# /'
}

# is_uncharged WHAT FUNCTION: there are samples, and none has an owner
is_uncharged() {
	charged=$(owned "$2" 0)
	check "$1: of $charged samples, none with an owner" awk -v counts="$charged" \
		-v least="${owned_least:-20}" 'BEGIN {
		split(counts, n, " ")
		exit !(n[1] >= least && !n[2])
	}' || grep -E "^($2) " "$TMP/rows" | head -n 20 | sed 's/^/# /'
}

# owners_of_terminal ENGINE FILTER: the characters that typist writes are handled for it, in threads of the kernel
owners_of_terminal() {
	[ -e /dev/pts/ptmx ] || {
		mkdir -p /dev/pts
		mount -t devpts devpts /dev/pts
		at_exit 'umount /dev/pts'
	}
	background "$WORKLOAD/typist" 3600
	check "$1: a session" begin_owners "$2" --engine "$1" -F 997
	works "$pid" 1500
	end_owners "$1"
	is_charged "$1: a terminal" 'n_tty_receive.*|n_tty_lookahead.*' \
		"\$6 == $pid && \$7 == $pid && !\$8 && \$11 && \$12 == \"typist\""
	like "$1: by a thread of the kernel" "$(awk '/^n_tty_receive/ { print $2; exit }' "$TMP/rows")" '^kworker/'
	end "$pid"
}

# shows_owners ENGINE: record, report and top tell for whom the kernel handles the characters that typist writes, which
# starts after the session, because nobody knows who queued work before
shows_owners() {
	for graph in none fp; do
		what="$1, --owners --call-graph $graph"
		"$TPROF" record --engine "$1" -a --owners --call-graph $graph -F 997 -o "$TMP/owned.pb.gz" \
			-- "$WORKLOAD/typist" 2 >"$TMP/out" 2>"$TMP/stderr" || diag "$what: $(cat "$TMP/stderr")"
		"$TPROF" export -i "$TMP/owned.pb.gz" -f json >"$TMP/json"
		ledger_closes "$what" "$TMP/json"
		owner=$(jq -r '[.functions[].owner | select(startswith("typist ("))] | first' "$TMP/json")
		check "$what: functions of kworkers have the owner" jq -e --arg owner "$owner" '
			[.functions[] | select(.symbol | test("^n_tty_receive"))] |
			(map(select(.owner == $owner).samples) | add) > 0.95 * (map(.samples) | add) and
			all(.comm | test("^kworker/"))' "$TMP/json" ||
			jq -r '.functions[:40][] | "# \(.samples) \(.symbol), \(.comm), for \(.owner)"' "$TMP/json"
		"$TPROF" report --by owner -j "$TMP/owned.pb.gz" >"$TMP/report"
		check "$what: report --by owner has all of its weight" jq -e --arg owner "$owner" \
			--slurpfile report "$TMP/report" '
			([.functions[] | select(.owner == $owner).weight] | add) as $weight | $weight > 0 and
			([$report[0].rows[] | select(.name == $owner).self.weight] | add) == $weight' "$TMP/json"
	done
	background "$WORKLOAD/typist" 3600
	owner="typist ($pid)"
	"$TPROF" top --engine "$1" --by owner --batch --duration 1 -F 997 >"$TMP/out" 2>"$TMP/stderr"
	like "$1: top --by owner: the column" "$(cat "$TMP/out")" '^  share  samples  owner$'
	like "$1: top --by owner: the row" "$(cat "$TMP/out")" "^ *[0-9.]+% +[0-9]+  typist \\($pid\\)\$"
	"$TPROF" top --engine "$1" --by owner -j --duration 1 -F 997 >"$TMP/json" 2>"$TMP/stderr"
	ledger_closes "$1: top --by owner" "$TMP/json"
	check "$1: top --by owner: JSON" \
		jq -e --arg owner "$owner" 'any(.functions[]; .symbol == $owner)' "$TMP/json"
	end "$pid"
}
