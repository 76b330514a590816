#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# trees.sh BUILD: prints a section of BENCHMARKS.md about reports with all branches of all trees. REPEAT sets the number
# of rounds (5).
set -u

. "${0%/*}/part.sh"
few=200
many=2000

# report_all NR [OPTION...]: notes the time for each kilobyte of the report, in microseconds, and the memory in KiB
report_all() {
	nr=$1
	shift
	measured "$build/tprof" report -i "$out/$nr.pb.gz" "$@" >"$out/report" || fail 'no report'
	note "time$nr" "$what" "$(ratio "$(took 3)" "$(($(wc -c <"$out/report") / 1000))")"
	note "memory$nr" "$what" "$(took 4)"
	wc -c <"$out/report" >"$out/size$nr.$what"
}

# row NR: prints one line
row() {
	printf '| %s | %s | %s | %s | %s | %s | %s |\n' "$1" "$(in_units %.1f 1e6 "$(cat "$out/size$1.text")")" \
		"$(median "time$1" text)" "$(in_units %.1f 1024 "$(median "memory$1" text)")" \
		"$(in_units %.1f 1e6 "$(cat "$out/size$1.json")")" "$(median "time$1" json)" \
		"$(in_units %.1f 1024 "$(median "memory$1" json)")"
}

for nr in $few $many; do
	"$build/cli/make_profile" many $nr >"$out/$nr.pb.gz" || fail 'no profile'
done
for _ in $(seq "${REPEAT:-5}"); do
	what=rows
	report_all $many
	for nr in $few $many; do
		what=text
		report_all $nr -g callees -s total --percent-limit 0
		what=json
		report_all $nr -g callees -s total --percent-limit 0 --json
	done
done

cat <<END
## What trees cost

\`tprof report -g callees -s total --percent-limit 0\`: all branches of the callees of all functions, as text and with
\`--json\`; medians of ${REPEAT:-5} rounds.

| call stacks | text, MB | us/kB | memory, MB | JSON, MB | us/kB | memory, MB |
|---|---|---|---|---|---|---|
$(row $few)
$(row $many)

$GOALS
$(goal "JSON, CPU time for each byte: of $many call stacks, of $few" \
	"$(ratio "$(median time$many json)" "$(median time$few json)")" 1.5)
$(goal 'memory of text, of a report without trees' \
	"$(ratio "$(median memory$many text)" "$(median memory$many rows)")" 1.5)
$(goal 'memory of JSON, of a report without trees' \
	"$(ratio "$(median memory$many json)" "$(median memory$many rows)")" 1.5)
END
