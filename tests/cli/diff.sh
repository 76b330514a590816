#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# `tprof diff` prints changes of shares with confidence intervals and the verdict; no conversion changes the sums.
. "${0%/*}/../lib/cli.sh"
. "${0%/*}/../lib/schema.sh"

"$MAKE_PROFILE" small >"$TMP/before.pb.gz"
"$MAKE_PROFILE" small app >"$TMP/after.pb.gz"
"$MAKE_PROFILE" many 2000 1 >"$TMP/one.pb.gz"
"$MAKE_PROFILE" many 2000 2 >"$TMP/two.pb.gz"

# json JQ OPTION... BEFORE AFTER. The walk normalizes numbers: jq 1.7 prints 65.0000 unless it has computed with it.
json() {
	json_jq="walk(if type == \"number\" then . + 0 else . end) | $1"
	shift
	(cd "$TMP" && "$TPROF" diff --json "$@") | jq -r "$json_jq"
}

# hot() has 39 of 60 samples, then 49 of 70.
is 'shares of both and the change' "$(json '.rows[0] | [.name, .before.percent, .after.percent, .points, .sure] |
	map(tostring) | join(" ")' before.pb.gz after.pb.gz)" 'hot<int, char>(x) 65 70 5 false'
is 'the interval' "$(json '.rows[0] | "\(.low) \(.high)"' before.pb.gz after.pb.gz)" '-10.8306 20.7879'
is 'the way back is the same with other signs' "$(json '.rows[0] | "\(.points) \(.low) \(.high)"' \
	after.pb.gz before.pb.gz)" '-5 -20.7879 10.8306'
is 'nothing has changed against itself' "$(json '[.rows[] | select(.points != 0 or .sure)] | length' \
	one.pb.gz one.pb.gz)" 0
# Points have four decimal places: each of 2,000 rows may be rounded by 0.00005.
for by in function object process cgroup; do
	is "by $by: all that is in rows themselves is all" "$(json '[
		([.rows[].before.weight] | add) - .before.total.weight,
		([.rows[].after.weight] | add) - .after.total.weight] | join(" ")' --by $by one.pb.gz two.pb.gz)" '0 0'
	is "by $by: what some gain others lose" \
		"$(json '[.rows[].points] | add | fabs <= 0.1' --by $by one.pb.gz two.pb.gz)" true
done
is 'each change is within its interval' "$(json '[.rows[] | select(.points < .low or .points > .high)] | length' \
	one.pb.gz two.pb.gz)" 0
is 'with what it called' "$(json '.rows[] | select(.name == "main") | [.before.samples, .after.samples] | join(" ")' \
	--share total before.pb.gz after.pb.gz)" '53 63'
is 'a limit says what it hides' "$("$TPROF" diff -n 1 "$TMP/before.pb.gz" "$TMP/after.pb.gz" | tail -n 1)" \
	'# and 5 more, which changed by at most 1.90 points'
like 'text' "$("$TPROF" diff "$TMP/before.pb.gz" "$TMP/after.pb.gz")" \
	'^ 65.00%  70.00%   \+5.00   -10.83  \+20.79     user     hot<int, char>\(x\)  app$'

# Repeated exports to pprof files preserve samples, weights and the ledger.
station() {
	jq -r '[.total.samples, .total.weight, .ledger.fired, .ledger.weight.fired, .ledger.aggregated,
		.ledger.lost.throttled] | join(" ")'
}
cp "$TMP/one.pb.gz" "$TMP/station0.pb.gz"
for station in 1 2; do
	"$TPROF" export -i "$TMP/station$((station - 1)).pb.gz" -f pprof -o "$TMP/station$station.pb.gz"
	is "station $station: report" "$("$TPROF" report -i "$TMP/station$station.pb.gz" --json | station)" \
		"$("$TPROF" report -i "$TMP/one.pb.gz" --json | station)"
	is "station $station: diff" \
		"$(cd "$TMP" && "$TPROF" diff --json one.pb.gz station$station.pb.gz | jq .after | station)" \
		"$("$TPROF" report -i "$TMP/one.pb.gz" --json | station)"
done

# The first samples of these profiles have a tiny weight, and do not narrow the intervals.
"$MAKE_PROFILE" adapted 1 >"$TMP/adapted1.pb.gz"
"$MAKE_PROFILE" adapted 2 >"$TMP/adapted2.pb.gz"
is 'a rate that had to adapt: what did not change is not marked' "$(json '[(.rows | length),
	(.rows | map(select(.sure)) | length)] | map(tostring) | join(" ")' adapted1.pb.gz adapted2.pb.gz)" '20 0'

is 'a change that may be chance is no failure' "$(code "$TPROF" diff --fail-above 2 "$TMP/before.pb.gz" \
	"$TMP/after.pb.gz")" 0
# 90 of 100 samples in a function that had none before are a significant change.
"$MAKE_PROFILE" grown 90 >"$TMP/grown.pb.gz"
"$MAKE_PROFILE" grown 0 >"$TMP/small.pb.gz"
is 'rows that only the second has' "$(json '[.rows[] | "\(.name) \(.before.weight) \(.after.weight > 0)"] | join(",")' \
	--only after small.pb.gz grown.pb.gz)" 'read 0 true'
is 'rows that only the first has' "$(json '[.rows[].name] | join(",")' --only before grown.pb.gz small.pb.gz)" read
is 'and there is no other' "$(json '[.rows[].name] + [.hidden] | join(",")' --only before small.pb.gz grown.pb.gz)" 0
refuses 'only a third one' 2 "'both' is not known" "$TPROF" diff --only both "$TMP/small.pb.gz" "$TMP/grown.pb.gz"
"$TPROF" diff --fail-above 2 "$TMP/small.pb.gz" "$TMP/grown.pb.gz" >"$TMP/stdout" 2>"$TMP/stderr"
is 'a sure change is a failure' $? 1
like 'it is marked' "$(cat "$TMP/stdout")" '^ +0.00% +90.00% .* !  user     read '
is 'it is said' "$(cat "$TMP/stderr")" 'tprof: shares that grew by more than 2 points: 1
hint: they are marked with an exclamation mark'
is 'hidden rows count' "$(code "$TPROF" diff --fail-above 2 --filter nothing "$TMP/small.pb.gz" "$TMP/grown.pb.gz")" 1
is 'as much as was allowed' "$(code "$TPROF" diff --fail-above 90% "$TMP/small.pb.gz" "$TMP/grown.pb.gz")" 0

if have_schemas; then
	for options in '' '--by process' '--by object --share total'; do
		# shellcheck disable=SC2086 # words
		(cd "$TMP" && "$TPROF" diff --json $options one.pb.gz two.pb.gz) >"$TMP/json"
		check "json as the schema says: $options" valid docs/tprof-diff.schema.json "$TMP/json"
	done
else
	skip 'json as the schema says' "$NO_SCHEMAS"
fi

gzip -dc "$TMP/before.pb.gz" | sed 's/cpu-clock$/cpu-tlock/; s/tprof.event: cpu-clock/tprof.event: cpu-tlock/' |
	gzip >"$TMP/event.pb.gz"
refuses 'other events' 2 'cpu-clock and cpu-tlock: profiles of different events' \
	"$TPROF" diff "$TMP/before.pb.gz" "$TMP/event.pb.gz"
refuses 'one profile' 2 'takes two profiles' "$TPROF" diff "$TMP/before.pb.gz"
refuses 'no such profile' 2 'No such file' "$TPROF" diff "$TMP/before.pb.gz" "$TMP/none.pb.gz"
refuses 'no number of points' 2 "'much' is not a percentage" \
	"$TPROF" diff --fail-above much "$TMP/before.pb.gz" "$TMP/after.pb.gz"
done_testing
