#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=8
# A client of the library replaces the filter of a running session: no sample is lost, and the ledger closes.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/compile.sh"
. "${0%/*}/../lib/changes.sh"

changes_build change_filter
changes 'cpu-clock' change_filter perf cpu-clock
changes 'page-faults, in the sandbox' change_filter perf page-faults sandbox

cat >"$TMP/tasks.bpf.c" <<'END'
#include <tprof/filter.bpf.h>
TPROF_TABLE(tasks, __u32, 4096);
TPROF_FILTER(one, s) { tprof_count(tasks, s->tgid, s->weight); return TPROF_DONE; }
TPROF_LICENSE("GPL");
END
{
	cat "$TMP/tasks.bpf.c"
	echo 'TPROF_FILTER(two, s) { tprof_count(tasks, s->tgid, s->weight); return TPROF_DONE; }'
} >"$TMP/two.bpf.c"
for filter in tasks two; do
	# shellcheck disable=SC2086 # options are words
	clang -g -O2 --target=bpf $FILTER_INCLUDE -c "$TMP/$filter.bpf.c" -o "$TMP/$filter.bpf.o" ||
		bail "cannot compile $filter"
done
changes_build change_filter_refused
changes 'refused' change_filter_refused perf "$TMP/two.bpf.o" "$TMP/tasks.bpf.o"

done_testing
