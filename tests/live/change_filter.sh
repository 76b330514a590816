#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A client of the library replaces the filter of a running session: no sample is lost, and the ledger closes.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/compile.sh"
. "${0%/*}/../lib/changes.sh"

changes_build change_filter
changes 'cpu-clock' change_filter perf cpu-clock
changes 'page-faults, in the sandbox' change_filter perf page-faults sandbox

cat >"$TMP/two.bpf.c" <<'END'
#include <tprof/filter.bpf.h>
TPROF_TABLE(tasks, __u32, 4096);
TPROF_FILTER(one, s) { tprof_count(tasks, s->tgid, s->weight); return TPROF_DONE; }
TPROF_FILTER(two, s) { tprof_count(tasks, s->tgid, s->weight); return TPROF_DONE; }
TPROF_LICENSE("GPL");
END
# shellcheck disable=SC2086 # options are words
clang -g -O2 --target=bpf $FILTER_INCLUDE -c "$TMP/two.bpf.c" -o "$TMP/two.bpf.o" || bail 'cannot compile two filters'
changes_build change_filter_refused
changes 'refused' change_filter_refused perf "$TMP/two.bpf.o"

done_testing
