#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# `tprof report`: rows and trees add up to the profile, with any limits of rows and branches.
. "${0%/*}/../lib/cli.sh"
. "${0%/*}/../lib/schema.sh"

"$MAKE_PROFILE" small >"$TMP/small.pb.gz"
"$MAKE_PROFILE" flat >"$TMP/flat.pb.gz"
"$MAKE_PROFILE" many 2000 >"$TMP/many.pb.gz"

# report NAME OPTION...
report() {
	report_of=$TMP/$1.pb.gz
	shift
	"$TPROF" report -i "$report_of" "$@" 2>"$TMP/stderr" || diag "$(cat "$TMP/stderr")"
}

# json NAME JQ OPTION...
json() {
	json_of=$1 json_jq=$2
	shift 2
	report "$json_of" --json "$@" | jq -r "$json_jq"
}

report small >"$TMP/text"
like 'text: the ledger is along' "$(cat "$TMP/text")" \
	'^# samples 294, counted 60, idle 38, loss 256 \(100\.0% of 256 in scope\)'
# For nine of 69 samples the table was full.
"$MAKE_PROFILE" full 9 >"$TMP/full.pb.gz"
"$MAKE_PROFILE" full 0 >"$TMP/whole.pb.gz"
said='13\.0 % of the samples in scope are missing: 13\.0 % table_full \(use larger tables: --table-entries'
like 'text: what is missing is said, and what mends it' "$(report full)" "^# warning: $said"
like 'json: likewise' "$(json full .loss.text)" "^$said"
is 'json: and in numbers' "$(json full '.loss | "\(.missing) \(.in_scope) \(.percent)"')" '9 69 13.043'
is 'nothing is missing: text' "$(report whole | grep -c warning)" 0
is 'nothing is missing: json' "$(json whole '.loss | "\(.missing) \(.in_scope) \(.percent) \(.text)"')" '0 60 0 null'
like 'a difference says it of each side' "$("$TPROF" diff "$TMP/whole.pb.gz" "$TMP/full.pb.gz")" "^# warning: $said"
for format in folded speedscope pprof; do
	"$TPROF" export -i "$TMP/full.pb.gz" -f $format -o "$TMP/full.$format" 2>"$TMP/stderr"
	like "$format: it is said on stderr" "$(cat "$TMP/stderr")" "warning: .*$said"
	"$TPROF" export -i "$TMP/whole.pb.gz" -f $format -o "$TMP/whole.$format" 2>"$TMP/stderr"
	is "$format: nothing is missing" "$(cat "$TMP/stderr")" ''
done
like 'text: self and total' "$(cat "$TMP/text")" '^ 13.33%  20.00% +8  kernel +vfs_read +\[kernel\]$'
like 'text: a name that recurs has its weight once' \
	"$(cat "$TMP/text")" '^ 65.00%  65.00% +39  user +hot<int, char>\(x\) '
like 'text: what has nothing itself' "$(report small --sort total | sed -n '/self/{n;p;}')" \
	'^  0.00%  88.33% +0  user +main'

for group in function object process cgroup; do
	is "by $group: what is in the rows themselves is all that there is" \
		"$(json small '([.rows[].self.samples] | add) + .omitted.samples' --by $group)" 60
	is "by $group: with a limit too" \
		"$(json many '([.rows[].self.weight] | add) + .omitted.weight - .total.weight' --by $group -n 1)" 0
done
is 'a profile without call stacks' "$(json flat '[.rows[] | .self.samples, .total.samples] | add')" 120
is 'by object: calls within one are one' "$(json small '.rows[] | select(.name == "app") |
	[.self.samples, .total.samples] | join(" ")' --by object)" '39 53'
is 'by process: pids' "$(json small '[.rows[] | "\(.name) \(.pid)"] | join(",")' --by process)" \
	'app 7,app 8,node 9,[unknown] null'

# hot() is called by main() in 30 samples, and by hot() below main() in 9.
is 'callers: who called it' "$(json small '.rows[0].callers.branches | map("\(.samples) " +
	([.run[].name] | join("<"))) | join(", ")' -g callers)" '30 main, 9 hot<int, char>(x)<main'
is 'callees: whom it called' "$(json small '.rows[] | select(.name == "read").callees |
	([.run[].name] | join(">")), .ended.samples, ([.branches[] | "\(.samples) \(.run[0].name)"] | join(","))' \
	-g callees -s total | paste -sd ' ')" 'read>vfs_read 8 4 ext4_read'
like 'text: callers' "$(report small -g callers)" '^ {19}`-- 15.00%-- hot<int, char>\(x\)$'
like 'text: a run of callers stands below each other' "$(report small -g callers)" '^ {32}main$'
like 'text: callees' "$(report small -g callees -s total)" '^ {19}\|  `-- 50.00%-- \[self\]$'
for way in callers callees; do
	is "$way: each tree adds up" "$(json many '[.rows[].'$way' | .. | objects | select(.run) |
		.weight - .ended.weight - .omitted.weight - ([.branches[].weight] | add // 0)] |
		map(select(. != 0)) | length' \
		-g $way -s total)" 0
	is "$way: each tree is that of its row" "$(json many '[.rows[] | .total.weight - .'$way'.weight] |
		map(select(. != 0)) | length' -g $way -s total)" 0
	check "$way: there are trees" test "$(json many '.rows | length' -g $way -s total)" -gt 5
done
is 'branches below the limit are summed up' "$(json small '.rows[] | select(.name == "main").callees | .omitted |
	[.count, .samples] | join(" ")' -g callees -s total --percent-limit 10)" '1 2'
is 'a filter by name' "$(json small '[.rows[].name] | join(",")' --filter read)" 'vfs_read,ext4_read,read'
is 'a filter by object' "$(json small '[.rows[].name] | join(",")' --filter '[ext')" 'ext4_read'
is 'a limit in percent' "$(json small '.rows | length' --percent-limit 10)" 2

if have_schemas; then
	for options in '' '-g callers' '-g callees -s total' '-b process' '-b cgroup' '-b object -g callers'; do
		# shellcheck disable=SC2086 # words
		report small --json $options >"$TMP/json"
		check "json as the schema says: $options" valid docs/tprof-report.schema.json "$TMP/json"
	done
else
	skip 'json as the schema says' "$NO_SCHEMAS"
fi

refuses 'no such group' 2 "'functions' is not known" "$TPROF" report -i "$TMP/small.pb.gz" --by functions
refuses 'no such order' 2 "'name' is not known" "$TPROF" report -i "$TMP/small.pb.gz" --sort name
refuses 'no percentage' 2 "'many' is not a percentage" "$TPROF" report -i "$TMP/small.pb.gz" --percent-limit many
refuses 'more than all' 2 "'101' is not a percentage" "$TPROF" report -i "$TMP/small.pb.gz" --percent-limit 101
is 'a file as an operand' "$("$TPROF" report "$TMP/small.pb.gz" -n 1)" "$("$TPROF" report -i "$TMP/small.pb.gz" -n 1)"
refuses 'files as operands' 2 'a profile is already given' "$TPROF" report "$TMP/small.pb.gz" "$TMP/small.pb.gz"
printf 'PERFILE2\150\0\0\0\0\0\0\0' >"$TMP/perf.data"
printf '2ELIFREP\0\0\0\0\0\0\0\150' >"$TMP/swapped.data"
for what in 'report' 'flame -o none.svg' 'export -f json' "diff $TMP/small.pb.gz"; do
	# shellcheck disable=SC2086 # options are words
	refuses "a file of perf: $what" 1 'perf.data: a file of perf record \(perf\.data\), which tprof does not read' \
		"$TPROF" $what "$TMP/perf.data"
done
refuses 'a file of perf, of the other order of bytes' 1 'swapped.data: a file of perf record' \
	"$TPROF" report "$TMP/swapped.data"
like 'the file, as text' "$(report small)" "^# file $TMP/small.pb.gz\$"
is 'the file, as JSON' "$(json small .input)" "$TMP/small.pb.gz"
like 'the file, standard input' "$("$TPROF" report -i - <"$TMP/small.pb.gz")" '^# file standard input$'
mkdir "$TMP/here"
cp "$TMP/small.pb.gz" "$TMP/here/tprof.pb.gz"
like 'the file, by default' "$(cd "$TMP/here" && "$TPROF" report)" '^# file tprof.pb.gz$'

# Without a profile of the default name, a raw recording is not read, but named.
here() {
	(cd "$TMP/here" && "$TPROF" "$@")
}
rm "$TMP/here/tprof.pb.gz"
refuses 'no profile here' 2 'tprof.pb.gz: No such file' here report
like 'no profile here: what to do' "$(cat "$TMP/stderr")" '^hint: make a profile'
: >"$TMP/here/tprof.traw"
for what in report 'flame -o none.svg' 'export -f text'; do
	# shellcheck disable=SC2086 # options are words
	refuses "only a raw recording: $what" 2 'tprof.pb.gz: No such file' here $what
	like "only a raw recording: $what: what to do" "$(cat "$TMP/stderr")" \
		'^hint: there is a raw recording here, tprof.traw: .* tprof report -i tprof.traw$'
done
refuses 'no file' 2 'No such file' "$TPROF" report -i "$TMP/none"
# A file without read permission; root could read it, so another user reads it.
cp "$TPROF" "$TMP/tprof"
cp "$TMP/small.pb.gz" "$TMP/locked.pb.gz"
chmod a+rx "$TMP" "$TMP/tprof"
chmod 0 "$TMP/locked.pb.gz"
user=
[ "$(id -u)" -ne 0 ] || user='setpriv --reuid 65534 --regid 65534 --clear-groups'
# shellcheck disable=SC2086 # words
refuses 'a file of somebody else' 1 'locked.pb.gz: Permission denied' $user "$TMP/tprof" report -i "$TMP/locked.pb.gz"
like 'a file of somebody else: what to do' "$(cat "$TMP/stderr")" '^hint: .*chown'
is 'a reader that goes away is no failure' "$(report many 2>&1 | head -n 1 | cut -c1-8; cat "$TMP/stderr")" '# engine'
done_testing
