# SPDX-License-Identifier: GPL-2.0-only
# Prints the string literals of C sources that contain a blank, one on each line. Adjacent literals are one, also if a
# macro such as PRIu64 is between them. Comments and #include lines have none.

function flush() {
	if (text ~ / /)
		print text
	text = ""
}

# Removes the part of the line that the regular expression matches.
function take(pattern) {
	if (!match(rest, pattern))
		return 0
	taken = substr(rest, 1, RLENGTH)
	rest = substr(rest, RLENGTH + 1)
	return 1
}

FNR == 1 { flush(); in_comment = 0 }
/^#include/ { next }
{
	rest = $0
	while (rest != "") {
		if (in_comment) {
			end = index(rest, "*/")
			rest = end ? substr(rest, end + 2) : ""
			in_comment = !end
		} else if (take("^\"([^\"\\\\]|\\\\.)*\"")) {
			text = text substr(taken, 2, length(taken) - 2)
		} else if (take("^/[*]")) {
			in_comment = 1
		} else if (take("^[ \t\\\\]+") || take("^[A-Z][A-Za-z0-9_]*")) {
			continue
		} else {
			flush()
			if (!take("^'([^'\\\\]|\\\\.)+'"))
				rest = substr(rest, 2)
		}
	}
}
END { flush() }
