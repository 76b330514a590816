# SPDX-License-Identifier: GPL-2.0-only
# If other BPF programs prevent samples, the output and `tprof doctor` name these programs. long=1: two kinds of them.
. "${0%/*}/../lib/live.sh"

for kind in kprobe ${long:+tracepoint}; do
	background busy_bpf $kind 600
	other=$pid
	# The sandbox of tprof only permits it to find programs that exist at its start.
	await grep -q '_busy_bpf' /proc/kallsyms || diag "$(cat "$TMP/background.out")"
	# Only the other process is in scope, which does nothing but run its BPF program.
	"$TPROF" top -v --json -F 997 --duration 3 -p "$other" >"$TMP/json" 2>"$TMP/stderr"
	is "$kind: exit code" $? 0
	ledger_closes "$kind" "$TMP/json"
	check "$kind: many samples are missed" test "$(ledger "$TMP/json" '.lost.engine_missed')" -ge 500
	like "$kind: it is named" "$(cat "$TMP/stderr")" \
		"^tprof: engine_missed: .* while BPF programs of other tools run .*: $kind busy_bpf\$"
	like "$kind: in the JSON, too" "$(jq -r '.warnings // [] | .[]' "$TMP/json")" ": $kind busy_bpf\$"
	like "$kind: doctor names it, too" "$("$TPROF" doctor)" \
		"^absent +bpf_programs +no samples are taken while these run, in % of a CPU: $kind busy_bpf [0-9]"
	end "$other"
	await sh -c "! grep -q '_busy_bpf' /proc/kallsyms"
done
like 'when they have gone, none is named' "$("$TPROF" doctor)" '^ok +bpf_programs '
# A BPF program reads the tables, on kernels of all versions.
background "$TPROF" top --batch -d 1 --duration 60 -F 997
await_session_of "$pid"
like 'tables are read by a program' "$(grep -c 'bpf_prog_[0-9a-f]*_tprof_drain' /proc/kallsyms)" '^[1-9]'

done_testing
