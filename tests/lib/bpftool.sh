# SPDX-License-Identifier: GPL-2.0-only
# Shipped filters on the module, and what bpftool shows of them. Needs live.sh.

PINS=/sys/fs/bpf/tprof

# has_pins FILTER: sets $pins to the directory in which the filter is pinned
has_pins() {
	pins=$(echo "$PINS"/*/"$1")
	[ -e "$pins/tprof_ledger" ]
}

# bpftool_shows FILTER...: all of them run on the module at the same time, and count; bpftool shows their programs,
# links and tables
bpftool_shows() {
	lazy "$WORKLOAD/spin" --seconds 3600
	shown_spin=$pid
	tprofs=
	for filter; do
		"$TPROF" run --json -d 600 -e cpu-clock -F 19 -p "$shown_spin" --engine kmod --pin "$filter" \
			>"$TMP/lines.$filter" 2>"$TMP/stderr.$filter" </dev/null &
		at_exit "kill $! 2>/dev/null"
		tprofs="$tprofs $!"
	done
	for filter; do
		check "$filter: is pinned" await has_pins "$filter"
	done

	bpftool -j prog show >"$TMP/progs"
	bpftool -j map show >"$TMP/maps"
	bpftool -j link show >"$TMP/links"
	for filter; do
		is "$filter: prog show names its program" "$(jq -r --arg name "${filter}_kmod" \
			'.[] | select(.name == $name).type' "$TMP/progs")" struct_ops
		is "$filter: link show has its link" "$(jq -r --arg name "${filter}_ops" --slurpfile maps "$TMP/maps" \
			'($maps[0][] | select(.name == $name).id) as $map |
			.[] | select(.map_id == $map).type' "$TMP/links")" struct_ops
	done

	# The struct_ops map is not dumped: bpftool 7.5 crashes if its type is defined by a module.
	for filter; do
		has_pins "$filter"
		case $filter in
		*stacks | dwarf) table=calls ;;
		offwake) table=waits ;;
		*) table=$filter ;;
		esac
		check "$filter: map dump of its ledger" bpftool -j map dump pinned "$pins/tprof_ledger"
		is "$filter: which is typed" \
			"$(jq '.[0].formatted.value | [.. | objects | has("samples")] | any' "$TMP/tap.out")" true
		# The first keeps samples and has no tables; the others count waits, which the module does not sample.
		case $filter in pass | offcpu | runqlat | wakers | wakeups) continue ;; esac
		check "$filter: map dump of its table" pinned_entries "$pins/$table" "$TMP/entries"
		is "$filter: which is typed, and has what was counted: all but these" "$(jq -c 'map(
			select((has("key") and (.value | .samples > 0 and .weight > 0)) | not))' "$TMP/entries")" '[]'
		case $filter in
		top) is 'top: its keys have names' "$(jq -r '.[0].key | keys | join(" ")' "$TMP/entries")" \
			'cgroup exec ip tgid' ;;
		cpu) is 'cpu: its keys have names' "$(jq -r '.[0].key | keys | join(" ")' "$TMP/entries")" \
			'cpu event mode' ;;
		comm) is 'comm: its keys have names' \
			"$(jq -r '[.[].key.thread.name] | unique | join(" ")' "$TMP/entries")" spin ;;
		esac
	done

	for pid in $tprofs; do
		kill "$pid"
	done
	for pid in $tprofs; do
		wait "$pid"
	done
	for filter; do
		jq -s last "$TMP/lines.$filter" >"$TMP/json"
		is "run $filter: on the module" "$(jq -r .engine "$TMP/json")" kmod
		ledger_closes "run $filter" "$TMP/json"
		case $filter in
		offcpu | runqlat | wakers | wakeups) ;;
		*) is "run $filter: it counts or keeps" "$(ledger "$TMP/json" '.aggregated + .kept > 0')" true ;;
		esac
		is "run $filter: its tables hold what was counted" \
			"$(jq -r '[.tables[].rows[].samples] | add // 0' "$TMP/json")" \
			"$(ledger "$TMP/json" .aggregated)"
		[ ! -s "$TMP/stderr.$filter" ] || diag "$filter: $(cat "$TMP/stderr.$filter")"
	done
	is 'the links are gone with tprof' "$(bpftool -j link show)" '[]'
}
