#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# perf record and tprof top sample the same load at the same time and show the same functions. The test prints both
# lists and their distance: half the sum of the differences of all shares, in points. Other processes are excluded,
# because the tools sample each other but not themselves.
. "${0%/*}/../lib/live.sh"

command -v perf >/dev/null || skip_all 'no perf'

pids=
for load in 'spin --seconds 60' 'spin_cxx 60' 'syscalls 60'; do
	# shellcheck disable=SC2086 # a command is words
	background "$WORKLOAD"/$load
	pids=$pids${pids:+,}$pid
done
sleep 0.2

# Without hardware counters both use cpu-clock; tprof reports which event it chose.
event=$("$TPROF" top --json --duration 1 2>/dev/null | jq -r .event)
# Prints lines of percentage, tab, symbol. perf omits the parameters of C++ functions.
shares_of_perf() {
	perf report -i "$TMP/perf.data" --stdio --no-children -s comm,sym -F sample,comm,sym -t '	' \
		>"$TMP/report" 2>>"$TMP/perf.out" || return 1
	awk -F '\t' '/^#/ || NF < 3 { next }
		{ gsub(/^ +| +$/, "", $2); sub(/^\[.\] /, "", $3); gsub(/ +$/, "", $3) }
		$2 !~ /^(spin|spin_cxx|syscalls)$/ { next }
		{ n[$3] += $1; all += $1 }
		END { for (s in n) printf "%.3f\t%s\n", 100 * n[s] / all, s }' "$TMP/report" | sort -rn
}

# Tries three times, because perf 6.1 sometimes aborts at the end of a recording, or reports nothing. It fails to read a
# recording of a machine in which many processes start and end, or BPF programs are loaded (--no-bpf-event).
for try in 1 2 3; do
	perf record -q -p "$pids" -B -N --no-bpf-event -e "${event:-cpu-clock}" -F 997 -o "$TMP/perf.data" \
		-- sleep 10 >"$TMP/perf.out" 2>&1 &
	perf=$!
	seconds=10 profile "$TMP/json" -F 997
	wait "$perf" && shares_of_perf >"$TMP/of_perf" && [ -s "$TMP/of_perf" ] && break
	diag "perf failed, try $try: $(tail -n 1 "$TMP/perf.out")" "$(grep -v '^$' "$TMP/report" 2>&1 | head -n 12)"
done
closes 'beside perf' "$TMP/json"

jq -r '.functions[] | select(.comm | test("^(spin|spin_cxx|syscalls)$")) | "\(.samples)\t\(.symbol)"' "$TMP/json" |
	awk -F '\t' '{ sub(/\(.*/, "", $2); n[$2] += $1; all += $1 }
		END { for (s in n) printf "%.3f\t%s\n", 100 * n[s] / all, s }' | sort -rn >"$TMP/of_tprof"

diag 'perf                                          tprof'
head -n 10 "$TMP/of_perf" | cut -c 1-44 | expand -t 8 >"$TMP/left"
head -n 10 "$TMP/of_tprof" | cut -c 1-44 | expand -t 8 >"$TMP/right"
diag "$(paste "$TMP/left" "$TMP/right" | awk -F '\t' '{ printf "%-45s %s\n", $1, $2 }')"

distance=$(awk -F '\t' 'NR == FNR { a[$2] = $1; next } { b[$2] = $1 }
	END {
		for (s in a) sum += a[s] > b[s] ? a[s] - b[s] : b[s] - a[s]
		for (s in b) if (!(s in a)) sum += b[s]
		printf "%.2f\n", sum / 2
	}' "$TMP/of_perf" "$TMP/of_tprof")
diag "distance: $distance points"

# below_third OF FROM: how far the functions that are the first three of FROM are below the third one of OF, at most
below_third() {
	head -n 3 "$2" | awk -F '\t' '
		NR == FNR { share[$2] = $1; if (FNR == 3) third = $1; next }
		third - share[$2] > most { most = third - share[$2] }
		END { print most + 0 }' "$1" -
}

like 'perf saw the load' "$(cat "$TMP/of_perf")" 'hot'
# Two random sets of 20,000 samples in about 20 functions differ by slightly more than one point.
at_most 'distance, points' "$distance" 4
# Functions with nearly the same share may change places.
at_most 'the top three of perf are those of tprof, but for points' "$(below_third "$TMP/of_tprof" "$TMP/of_perf")" 1
at_most 'and the other way round' "$(below_third "$TMP/of_perf" "$TMP/of_tprof")" 1

done_testing
