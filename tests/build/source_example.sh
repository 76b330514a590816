#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The example in docs/sources.md is the tested example, and the page describes the whole interface of sources.
. "${0%/*}/../lib/tap.sh"

is 'docs/sources.md: the example is examples/sink/tprof_sink.c' \
	"$(awk '/^```c$/ { inside = 1; next } /^```$/ { inside = 0 } inside' docs/sources.md)" \
	"$(tail -n +2 examples/sink/tprof_sink.c)"
check 'it is built for virtual machines' test -e tests/vm/modules/tprof_sink/Kbuild

sed -n '/^struct tprof_source_ops {/,/^};/p' kmod/tprof_source.h | sed -n 's/.*(\*\([a-z_]*\))(.*/\1/p' >"$TMP/calls"
check 'the interface has calls' test -s "$TMP/calls"
for call in $(cat "$TMP/calls"); do
	check "kmod/tprof_source.h: says what $call does" grep -q "^ \* @$call:" kmod/tprof_source.h
done
done_testing
