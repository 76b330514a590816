# SPDX-License-Identifier: GPL-2.0-only
# Compares the rows of tprof and of perf (programs_rows.sh) for one program and one mode. `of` is the prefix of the
# files with the functions of both. Prints `equal` or `worse`, program, mode, comparison and numbers, between tabs.
#
# The limits are four standard deviations. The part of the samples that has a property, p, is the same for both tools
# unless they differ: its variance is p(1-p)/n for each of them, and the variances add up. The number of samples in a
# given CPU time has at most the variance of the number due (peers.sh).

{ for (i = 1; i <= NF; i++) row[$3, i] = $i; program = $1; mode = $2 }

END {
	n["tprof"] = row["tprof", 4]
	n["perf"] = row["perf", 4]
	if (!n["tprof"] || !n["perf"])
		exit
	part("unnamed", 8, 1)
	part("complete", 9, -1)
	lost = missing("tprof")
	least = missing("perf") > 0 ? missing("perf") : 0
	limit = 4 * sqrt(row["tprof", 5] + row["perf", 5])
	say("lost", lost - least > limit, sprintf("%.0f and %.0f samples, chance is %.0f", lost, least, limit))
	shares()
	cost("CPU", 10, "ms")
	cost("memory", 11, "MB")
}

function say(what, worse, why) {
	print (worse ? "worse" : "equal") "\t" program "\t" mode "\t" what "\t" why
}

# The losses, whether the tool reports them or not.
function missing(tool) {
	return row[tool, 5] - row[tool, 6]
}

# chance A B: four standard deviations of the difference of A of the samples of tprof and B of those of perf; half a
# sample of each, because samples are whole
function chance(a, b,  p) {
	p = (a + b) / (n["tprof"] + n["perf"])
	return 4 * sqrt(p * (1 - p) * (1 / n["tprof"] + 1 / n["perf"])) + 0.5 / n["tprof"] + 0.5 / n["perf"]
}

function part(what, column, sign,  a, b, limit) {
	a = row["tprof", column]
	b = row["perf", column]
	limit = chance(a, b)
	say(what, sign * (a / n["tprof"] - b / n["perf"]) > limit, numbers(a, b, limit))
}

function numbers(a, b, limit) {
	return sprintf("%.1f and %.1f %%, chance is %.1f", 100 * a / n["tprof"], 100 * b / n["perf"], 100 * limit)
}

function cost(what, column, unit) {
	say(what, row["tprof", column] + 0 > row["perf", column] + 0,
		sprintf("%s and %s %s", row["tprof", column], row["perf", column], unit))
}

function read_functions(tool,  line, field) {
	while ((getline line < (of "." tool ".leaves")) > 0) {
		split(line, field, "\t")
		got[tool, field[2]] += field[1]
		all[field[2]] += field[1]
	}
}

# The five most frequent functions of both tools together.
function shares(  i, name, top, a, b, limit, far, why) {
	read_functions("tprof")
	read_functions("perf")
	for (i = 0; i < 5; i++) {
		top = ""
		for (name in all)
			if (all[name] > all[top])
				top = name
		if (top == "")
			break
		a = got["tprof", top] + 0
		b = got["perf", top] + 0
		limit = chance(a, b)
		if (a / n["tprof"] - b / n["perf"] > limit || b / n["perf"] - a / n["tprof"] > limit) {
			far = 1
			why = why "; " top ": " numbers(a, b, limit)
		}
		delete all[top]
	}
	say("shares", far, far ? substr(why, 3) : "the five most frequent functions")
}
