# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=x86-64,next not=debug,race seconds=120
# The event function:PATTERN and the filter coverage: which functions of the kernel a program has reached, how often,
# and from where.
. "${0%/*}/../lib/live.sh"

visits=$WORKLOAD/visits
# The module of the source is loaded when it is needed, and is to be gone at the end.
at_exit 'rmmod tprof_function'

# calls NAME: prints the number of calls of functions with this name in $TMP/lines
calls() {
	jq -s --arg name "$1" '[.[].tables[].rows[] | select(.key | test("(_|\\b)" + $name + "\\b")).samples] |
		add // 0' "$TMP/lines"
}

"$TPROF" run --json -e 'function:*sys_*' coverage -- "$visits" 1000 1 >"$TMP/lines" 2>"$TMP/stderr" ||
	bail "coverage: $(cat "$TMP/stderr")"
ledger_closes 'system calls' "$TMP/lines"
is 'system calls: on the module' "$(jq -r '"\(.engine) \(.event)"' "$TMP/lines" | sort -u)" 'kmod function:*sys_*'
is 'system calls: each call' "$(calls sys_getppid)" 1000
is 'system calls: that of the exit' "$(calls sys_exit_group)" 1
check 'system calls: many' test "$(jq -s '[.[].tables[].rows[].key] | unique | length' "$TMP/lines")" -ge 10

"$TPROF" run --json -e 'function:__*_sys_getppid' kstacks -- "$visits" 1000 1 >"$TMP/lines" 2>"$TMP/stderr" ||
	bail "call stacks: $(cat "$TMP/stderr")"
ledger_closes 'call stacks' "$TMP/lines"
like 'call stacks: the caller of the function is next' "$(jq -r '.tables[].rows[].key' "$TMP/lines" | sort -u)" \
	'(do_syscall_64|x64_sys_call|invoke_syscall);[^ ]*sys_getppid( |$)'

# The filter names its event, all functions. Calls of so many take more than a part of a CPU: the period may grow.
"$TPROF" run --json coverage -- "$visits" 1000 1 >"$TMP/lines" 2>"$TMP/stderr" || bail "coverage: $(cat "$TMP/stderr")"
is 'all functions: the event' "$(jq -r .event "$TMP/lines" | sort -u)" 'function:*'
ledger_closes 'all functions' "$TMP/lines"
check 'all functions: many' test "$(jq -s '[.[].tables[].rows[].key] | unique | length' "$TMP/lines")" -ge 50

# What one run reached and the other did not.
"$TPROF" record -e 'function:*sys_*' -o "$TMP/a.pb.gz" -- true 2>/dev/null
"$TPROF" record -e 'function:*sys_*' -o "$TMP/b.pb.gz" -- "$visits" 1000 1 2>/dev/null
"$TPROF" diff --json --only after "$TMP/a.pb.gz" "$TMP/b.pb.gz" >"$TMP/json"
like 'a difference: what only one has reached' "$(jq -c '[.rows[] | select(.name | test("sys_getppid")) |
	[.before.samples, .after.samples]]' "$TMP/json")" '[[]0,1000[]]'
is 'a difference: and nothing else' "$(jq '[.rows[] | select(.before.samples > 0 or .after.samples == 0)] | length' \
	"$TMP/json")" 0

refused() {
	run_status=0
	"$TPROF" run -e "$2" coverage -- true >/dev/null 2>"$TMP/stderr" || run_status=$?
	is "$1: exit code" "$run_status" 2
	like "$1: says so" "$(cat "$TMP/stderr")" "$3"
}
refused 'no such function' 'function:no_such_*' \
	'^tprof: event function:no_such_\*: there is no such function in the kernel'
like 'no such function: and where to look' "$(cat "$TMP/stderr")" '^hint: .*available_filter_functions'
refused 'an exclamation mark' 'function:!vfs_*' '^tprof: event function:!vfs_\*: there cannot be a probe'
refused 'no pattern' 'function:' '^tprof: event function:: not of the form function:PATTERN'
done_testing
