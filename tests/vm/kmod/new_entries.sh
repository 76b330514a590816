# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=x86-64
# A new table entry already contains its first sample, so a reader such as bpftool never sees an entry without samples.
# A kprobe records the values that a filter inserts.
. "${0%/*}/../lib/live.sh"

TRACING=/sys/kernel/tracing

forget_probe() {
	echo 0 >"$TRACING/events/kprobes/inserted/enable"
	echo >"$TRACING/kprobe_events"
}

background "$WORKLOAD/syscalls" 600

# The value is the third argument.
echo 'p:inserted htab_map_update_elem samples=+0(%dx):u64 weight=+8(%dx):u64' >"$TRACING/kprobe_events"
at_exit forget_probe
echo 1 >"$TRACING/events/kprobes/inserted/enable"
"$TPROF" run --engine kmod -F 997 --duration 1 top >/dev/null 2>"$TMP/said" || diag "$(cat "$TMP/said")"
echo 0 >"$TRACING/events/kprobes/inserted/enable"

# Filters run in interrupts (h); the library also inserts entries, but not in interrupts.
sed -n 's/^[^[]*\[[0-9]*\] [^ ]*[hH][^ ]* .* samples=\([0-9]*\) weight=\([0-9]*\).*/\1 \2/p' "$TRACING/trace" \
	>"$TMP/inserted"
check 'keys were inserted by a filter' [ "$(wc -l <"$TMP/inserted")" -gt 9 ]
is 'each with a sample of some weight, but for these' "$(awk '$1 != 1 || $2 < 1' "$TMP/inserted" | sort | uniq -c)" ''
done_testing
