# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=x86-64,arm64,next
# A user stack that cannot be read when its sample is delivered is marked: each context switch is sampled while its task
# still runs, and delivered when the next one does.
. "${0%/*}/../lib/live.sh"

# shellcheck disable=SC2016 # of the shell there
if "$TPROF" record --engine kmod -e context-switches -c 1 --format folded -o "$TMP/folded" -- \
	sh -c 'i=0; while [ $i -lt 50 ]; do sleep 0.01; i=$((i + 1)); done' 2>"$TMP/stderr"; then
	check 'stacks are marked as not read' grep -qF '[stack not read]' "$TMP/folded"
	check 'their kernel stacks are there' grep -qE '\[stack not read\];.*schedule' "$TMP/folded"
else
	not_ok "context switches are recorded: $(cat "$TMP/stderr")"
fi
if "$TPROF" top --engine kmod -g -e context-switches -c 1 --json --duration 1 >"$TMP/json" 2>"$TMP/stderr"; then
	closes 'context switches' "$TMP/json"
else
	not_ok "context switches: $(cat "$TMP/stderr")"
fi

done_testing
