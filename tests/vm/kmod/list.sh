# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=x86-64,next not=debug,race all=x86-64 seconds=300
# `tprof list` shows the sources, the sessions and the filters of the module.
. "${0%/*}/../lib/live.sh"

is 'nothing runs: the sources are there by name' \
	"$("$TPROF" list sources --json | jq -r 'map("\(.source) \(.users)") | sort | join(", ")')" \
	'kprobe 0, off-cpu 0, on-cpu 0, perf 0, timer 0, uprobe 0, wakeup 0'
like 'nothing runs: no filters' "$("$TPROF" list --running filters | wc -l)" '^1$'
is 'nothing runs: no sessions' "$("$TPROF" list sessions --json)" '[]'

lazy "$WORKLOAD/spin" --seconds 3600
background "$TPROF" top --batch -d 300 -e cpu-clock -c 5025125
top=$pid
background "$TPROF" top --batch -d 300 -e cpu-clock -c 10101010 --filter cpu --pin
cpu=$pid
check 'two sessions run' await_sessions 2
sleep 3
"$TPROF" list sessions --json >"$TMP/sessions"

# of PID JQ: prints a member of the session of that process
of() {
	jq -r --argjson pid "$1" ".[] | select(.pid == \$pid) | $2" "$TMP/sessions"
}

is 'sessions: one each' "$(jq length "$TMP/sessions")" 2
is 'sessions: owner, filter, engine' "$(of "$top" '"\(.comm) \(.filter) \(.engine)"')" 'tprof top kmod'
is 'sessions: the other' "$(of "$cpu" '"\(.comm) \(.filter) \(.engine)"')" 'tprof cpu kmod'
is 'sessions: it samples' "$(of "$top" '.session | .events == 1 and .filters == 1 and .fired > 0')" true
is 'sessions: its ledger can be found' \
	"$(bpftool -j map show id "$(of "$top" .map_id)" | jq -r .name)" tprof_ledger
like 'sessions: pins' "$(of "$cpu" .pin)" "^$cpu-"
is 'sessions: what they cost' "$(of "$top" '.session | .filter_ns > 0 and .memory > 1024 and .cpu_percent > 0 and
	.cpu_percent < 200')" true
like 'sessions: as text' "$("$TPROF" list sessions)" \
	"^$top +tprof +top +kmod +[0-9]+ +running +[0-9]+ +[0-9]+ +[0-9]+\\.[0-9][0-9]% +[0-9]+K "

"$TPROF" list sources --json >"$TMP/json"
is 'sources: both sessions share the timer' \
	"$(jq -r '.[] | select(.users > 0) | "\(.source) \(.users) \(.cpus)"' "$TMP/json")" 'timer 2 2'
is 'sources: at the rate of the faster one' "$(jq -r '.[] | select(.users > 0).period' "$TMP/json")" \
	5025125
like 'sources: as text' "$("$TPROF" list sources)" '^[0-9]+ +timer +- +[0-9]+ +2 +2 +[0-9]+'

"$TPROF" list --running filters --json >"$TMP/json"
is 'filters: of both sessions' "$(jq -r '[.[].name] | sort | join(" ")' "$TMP/json")" 'cpu top'
is 'filters: of whose session' "$(jq -r '.[] | select(.name == "top") | "\(.session) \(.pid) \(.comm)"' "$TMP/json")" \
	"$(of "$top" .session.id) $top tprof"
is 'filters: called, and their time is known' \
	"$(jq 'all(.calls > 0 and .run_ns > 0 and .longest_ns > 0 and .state == "active" and .bad == 0)' \
		"$TMP/json")" true
like 'filters: as text' "$("$TPROF" list --running filters)" '^[0-9]+ +top +active +[0-9]+ +[0-9.]+ (us|ms|s) '
like 'filters: the files are another list' "$("$TPROF" list filters)" '^top .*top\.bpf\.o$'

# Sessions of the perf engine do not belong to the module, and are in the list as well.
background "$TPROF" top --engine perf --batch -d 300 -F 49
perf=$pid
await_session_of "$perf"
"$TPROF" list sessions --json >"$TMP/sessions"
is 'sessions: of both engines' "$(jq -r '[.[].engine] | sort | join(" ")' "$TMP/sessions")" 'kmod kmod perf'
is 'sessions: that of the perf engine has no number' "$(of "$perf" .session)" null
is 'sources: it uses none' "$("$TPROF" list sources --json | jq '[.[].users] | add')" 2

# Other users cannot read the lists.
su -s /bin/sh nobody -c "$TPROF list sources" >"$TMP/stdout" 2>"$TMP/stderr"
is 'not for others: exit code' $? 4
like 'not for others: says so' "$(cat "$TMP/stderr")" '^tprof: sources: .* root'

end "$top"
end "$cpu"
end "$perf"
is 'in the end no source is used' "$("$TPROF" list sources --json | jq '[.[].users] | add')" 0
is 'in the end no filter is left' "$("$TPROF" list --running filters --json)" '[]'
check 'the module can be unloaded' unload_module
refuses 'without the module' 4 'sources: only the kernel module .* not loaded' "$TPROF" list sources

done_testing
