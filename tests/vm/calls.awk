# SPDX-License-Identifier: GPL-2.0-only
# Prints the call graph of functions of a module for x86-64, from the output of objdump -dr:
#
#	awk -v from='FUNCTION...' -v not='FUNCTION...' -f calls.awk
#
# The output has these functions and all functions that they call, directly or indirectly, one a line; the callees of
# the functions in `not` are left out. `= NAME` is a function of the module, `NAME` a function of the kernel, `*NAME` a
# pointer in the kernel to a function.

function calls(who, whom) {
	if (whom != who && !((who, whom) in seen)) {
		seen[who, whom] = 1
		called[who] = called[who] " " whom
	}
}

# Records a call: the target in the instruction, unless the relocation after it has another one.
function settle() {
	if (target != "")
		calls(at, target)
	target = ""
}

/^[0-9a-f]+ <.*>:$/ {
	settle()
	at = substr($2, 2, length($2) - 3)
	ours[at] = 1
	next
}

/^[ \t]+[0-9a-f]+: R_X86_64_/ {
	name = $3
	sub(/[-+]0x[0-9a-f]+$/, "", name)
	if (indirect)
		calls(at, "*" name)
	else if (target != "" || tail)
		calls(at, name)
	target = ""
	indirect = tail = 0
	next
}

/^[ \t]+[0-9a-f]+:\t/ {
	settle()
	indirect = $2 ~ /^(call|jmp)q?$/ && $3 ~ /^\*/
	tail = $2 ~ /^j/
	if (indirect) {
		target = "*" $3
	} else if ($2 ~ /^(call|j)/ && match($0, /<[^>]*>/)) {
		target = substr($0, RSTART + 1, RLENGTH - 2)
		sub(/\+0x[0-9a-f]+$/, "", target)
	}
}

END {
	settle()
	n = split(not, list, " ")
	for (i = 1; i <= n; i++)
		closed[list[i]] = 1
	n = split(from, queue, " ")
	for (i = 1; i <= n; i++)
		reached[queue[i]] = 1
	for (i = 1; i <= n; i++) {
		print (queue[i] in ours ? "= " : "") queue[i]
		if (queue[i] in closed)
			continue
		m = split(called[queue[i]], list, " ")
		for (j = 1; j <= m; j++) {
			if (!(list[j] in reached)) {
				reached[list[j]] = 1
				queue[++n] = list[j]
			}
		}
	}
}
