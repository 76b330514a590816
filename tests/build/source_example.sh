#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The source that docs/sources.md shows is the one that is built and tested, and its page knows the whole interface.
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
