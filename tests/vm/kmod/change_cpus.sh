# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=x86-64,arm64,next,rt,debug all=x86-64 seconds=240
# CPUs that come online during a session are sampled, also if they were online before, and the ledger closes.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/changes.sh"

if [ "$(uname -m)" = aarch64 ]; then
	changes 'perf cycles' change_cpus perf cycles
else
	changes 'kmod cpu-clock' change_cpus kmod cpu-clock
fi

done_testing
