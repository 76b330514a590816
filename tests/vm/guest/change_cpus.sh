# SPDX-License-Identifier: GPL-2.0-only
# vm: all=perf-6.1 seconds=180
# CPUs that come online during a session are sampled, also if they were online before, and the ledger closes. With
# long=1, also with another event.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/changes.sh"

changes 'perf cpu-clock' change_cpus perf cpu-clock
# With 3, the kernel of Debian demands CAP_SYS_ADMIN, which no sandbox has.
paranoid=$(cat /proc/sys/kernel/perf_event_paranoid)
echo 2 >/proc/sys/kernel/perf_event_paranoid
changes 'perf cpu-clock, in the sandbox' change_cpus perf cpu-clock sandbox
echo "$paranoid" >/proc/sys/kernel/perf_event_paranoid
[ -z "${long:-}" ] || changes 'perf task-clock' change_cpus perf task-clock

done_testing
