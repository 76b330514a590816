#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=13
# The output of `tprof top --json` matches docs/tprof-top.schema.json, and the schema has all members of the ledger.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/schema.sh"
schema=docs/tprof-top.schema.json

have_schemas || skip_all "$NO_SCHEMAS"

# broken WHAT JQ PATTERN: the validator refuses the document after the change JQ, with a message that matches PATTERN
broken() {
	jq -c "$2" "$TMP/total" >"$TMP/broken"
	like "refused: $1" "$(valid "$schema" "$TMP/broken" 2>&1)" "$3"
}

background "$WORKLOAD/spin" --seconds 600
seconds=2 profile "$TMP/total"
check 'a total is valid' valid "$schema" "$TMP/total"
is 'a total is one line' "$(wc -l <"$TMP/total")" 1
check 'it has functions' test "$(jq '.functions | length' "$TMP/total")" -gt 0
seconds=2 profile "$TMP/intervals" -d 1
check 'intervals are valid' valid "$schema" "$TMP/intervals"
check 'there are several' test "$(wc -l <"$TMP/intervals")" -gt 1
seconds=1 profile "$TMP/period" -c 10000000
check 'with a period of the user, valid' valid "$schema" "$TMP/period"
seconds=1 profile "$TMP/cpu" --filter cpu
check 'with a filter without addresses, valid' valid "$schema" "$TMP/cpu"

broken 'no ledger' 'del(.ledger)' "^/: 'ledger' is a required"
broken 'a reason is missing' 'del(.ledger.lost.throttled)' "^/ledger/lost: 'throttled' is a required"
broken 'an unknown mode' '.functions[0].mode = "asleep"' '^/functions/0/mode: '
broken 'a negative count' '.ledger.fired = -1' '^/ledger/fired: '
broken 'a share above 100' '.functions[0].percent = 101' '^/functions/0/percent: '
broken 'a count in words' '.ledger.weight.done = "all"' '^/ledger/weight/done: '
broken 'another version' '.version = 2' '^/version: '
jq -c '.added = 1 | .functions[0].added = "x"' "$TMP/total" >"$TMP/added"
check 'fields may be added' valid "$schema" "$TMP/added"

# names LIST: prints the second column of an X-macro table of the ABI
names() {
	sed -n "/^#define $1(X)/,/[^\\\\]\$/s/.*X([A-Z_]*,[ 	]*\\([a-z_]*\\),.*/\\1/p" include/uapi/tprof.h | sort
}

check 'the ABI has reasons' test -n "$(names TPROF_LOST_REASONS)"
is 'the schema has the reasons of the ABI' \
	"$(jq -r '."$defs".lost.properties | keys[]' "$schema")" "$(names TPROF_LOST_REASONS)"
is 'the schema requires them all' "$(jq -r '."$defs".lost.required | sort[]' "$schema")" "$(names TPROF_LOST_REASONS)"
{
	printf '%s\n' fired lost idle unnamed_sideband_lost
	names TPROF_OUTCOMES
	names TPROF_COUNTINGS
} | sort >"$TMP/ledger"
is 'the schema has the rest of the ledger' \
	"$(jq -r '."$defs".ledger.required | sort[]' "$schema")" "$(cat "$TMP/ledger")"
done_testing
