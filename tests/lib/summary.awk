# SPDX-License-Identifier: GPL-2.0-only
# Summarizes lines "kind/name passed failed skipped seconds": prints a table by kind, the 15 programs that took longest,
# the first lines of the file `failures`, and the sums. The exit code is 1 if something failed or nothing passed.

{
	passed += $2
	failed += $3
	skipped += $4
	total += $5
	name[NR] = $1
	seconds[NR] = $5
	kind = $1
	sub("/.*", "", kind)
	if (!(kind in nr))
		kinds[++nr_kinds] = kind
	nr[kind]++
	kind_passed[kind] += $2
	kind_failed[kind] += $3
	kind_skipped[kind] += $4
	kind_seconds[kind] += $5
}

END {
	if (nr_kinds > 1) {
		printf "\n%-10s %8s %8s %8s %8s %10s\n", "kind", "programs", "passed", "failed", "skipped", "seconds"
		for (i = 1; i <= nr_kinds; i++) {
			kind = kinds[i]
			printf "%-10s %8d %8d %8d %8d %10.1f\n", kind, nr[kind], kind_passed[kind], kind_failed[kind],
				kind_skipped[kind], kind_seconds[kind]
		}
	}
	if (NR > 1) {
		printf "\n%8.1f s in %d test programs, of which:\n", total, NR
		for (n = 0; n < NR && n < 15; n++) {
			best = 0
			for (i = 1; i <= NR; i++)
				if (!(i in done) && (!best || seconds[i] > seconds[best]))
					best = i
			done[best] = 1
			printf "%8.1f s %s\n", seconds[best], name[best]
		}
	}
	for (n = 0; (getline line <failures) > 0; n++)
		if (n < 60)
			printf "%s      %s\n", n ? "" : "\nfailed:\n", line
	if (n > 60)
		printf "      and %d lines more, above\n", n - 60
	printf "\n%d passed, %d failed, %d skipped\n", passed, failed, skipped
	exit failed > 0 || passed == 0
}
