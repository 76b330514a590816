#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# 200 children a second, each living a few milliseconds: their samples keep their names and add up.
. "${0%/*}/../lib/live.sh"

# Percent of the user-mode samples of spin's children that have a name
named() {
	jq -r '[.functions[] | select(.comm == "spin" and .mode == "user")] |
		(map(select(.symbol | startswith("[") | not).samples) | add // 0) * 100 /
		(map(.samples) | add // 1)' "$1"
}

# Forking is work too, done in the kernel: the truth is about what the children do in user mode.
background "$WORKLOAD/spin" --seconds 600 --fork 200
profile_enough "$TMP/fork" '.comm == "spin" and .mode == "user"' -F 3989
truth '200 forks a second' "$TMP/fork" '.comm == "spin" and .mode == "user"'
at_most '200 forks a second: unnamed samples, percent' "$(named "$TMP/fork" | awk '{ print 100 - $1 }')" 1
is '200 forks a second: no side-band event was lost' "$(ledger "$TMP/fork" '.sideband_lost // 0')" 0
end "$pid"

# With exec there is a loader to be run in each child as well, so only the three functions are compared.
background "$WORKLOAD/spin" --seconds 600 --fork 200 --exec
seconds=8 profile_enough "$TMP/exec" '.comm == "spin" and (.symbol | test("^(hot|warm|mild)$"))' -F 3989
truth '200 execs a second' "$TMP/exec" '.comm == "spin" and (.symbol | test("^(hot|warm|mild)$"))'
at_most '200 execs a second: unnamed samples, percent' "$(named "$TMP/exec" | awk '{ print 100 - $1 }')" 1
end "$pid"

done_testing
