# SPDX-License-Identifier: GPL-2.0-only
# Converts the output of `perf script -F comm,pid,tid,ip,sym,dso --show-mmap-events --show-lost-events` to a line for
# each sample, in columns between tabs: the leaf and the root of its call stack, each as name, object and address. The
# number of lost samples is written to the file `lost`, the names of the files with code to the file `objects`.

/PERF_RECORD_MMAP.*: r.xp \// { file = $0; sub(/^.*: r.xp /, "", file); print file > objects }
/PERF_RECORD_LOST/ { told += $NF }
/PERF_RECORD_/ { next }
!inside && NF { inside = 1; nr = 0; next }
inside && NF {
	address = $1
	name = $0
	sub(/^[ \t]*[0-9a-f]+ /, "", name)
	object = name
	sub(/ \([^(]*\)$/, "", name)
	sub(/^.* \(/, "", object)
	sub(/\)$/, "", object)
	root = name "\t" object "\t" address
	if (!nr++)
		leaf = root
	next
}
inside { done() }
END { if (inside) done(); print told + 0 > lost }

function done() {
	if (nr)
		print leaf "\t" root
	else
		print "[unknown]\t[unknown]\t0\t[unknown]\t[unknown]\t0"
	inside = 0
}
