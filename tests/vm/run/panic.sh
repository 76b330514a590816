#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=28
# A panic stops all sampling immediately, and sampling does not disturb the panic handling of the kernel.
. "${0%/*}/../../lib/tap.sh"
. "${0%/*}/../machine/emulator.sh"
vm=$(cd "${0%/*}/.." && pwd)
top=$(cd "$vm/../.." && pwd)
cd "$top" || exit 1
export TPROF_BUILD="$BUILD" VM_RUN=panic

"$vm/machine/prepare.sh" x86-64 panic >"$TMP/prepare" 2>&1 ||
	bail "the guest cannot be built: $(tail -n 20 "$TMP/prepare")"
for attempt in 1 2 3 4; do
	timeout 120 "$vm/machine/qemu.sh" x86-64 guest=tests -serial "file:$TMP/console" </dev/null >"$TMP/qemu" 2>&1
	status=$?
	emulator_failed "$TMP/console" || break
	diag "attempt $attempt met a breakpoint of the kernel's that was gone (emulator)"
done
is 'the kernel goes on to restart the machine' $status 0
tr -d '\r' <"$TMP/console" >"$TMP/text"
# The console output from the panic on
sed -n '/Kernel panic - not syncing/,$p' "$TMP/text" >"$TMP/panic"

is 'a sample before the panic' "$(sed -n 's/.*tprof_panic: before: //p' "$TMP/text")" 'a sample is taken'
like 'the kernel panics as was asked for' "$(head -n 1 "$TMP/panic")" 'tprof_panic: as was asked for'
is 'a sample after it' "$(sed -n 's/.*tprof_panic: after: //p' "$TMP/panic")" 'a sample is not taken'
is 'the kernel panics once' "$(grep -c 'Kernel panic' "$TMP/text")" 1
is 'and complains of nothing else' "$(grep -E 'WARNING: |BUG: |Oops|general protection' "$TMP/text")" ''
done_testing
