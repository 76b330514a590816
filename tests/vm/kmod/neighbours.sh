# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=x86-64,next not=debug,race all=x86-64 seconds=180
# tprof with the module does not disturb perf: perf record beside it writes files that perf can read, with the right
# device and inode of a program. live/neighbours.sh does the same with the perf engine.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/neighbours.sh"

# The guest has no bpftrace.
others() {
	:
}

check 'alone: perf reads what it wrote' perf_works_alone
beside 'a session of the module' "$TPROF" top --engine kmod -g --json --duration 600

done_testing
