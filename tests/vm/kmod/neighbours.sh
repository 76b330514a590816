# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=x86-64,next seconds=180
# tprof does not disturb perf, with the module or without: perf record beside it writes files that perf can read, with
# the right device and inode of a program.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/neighbours.sh"

# The guest has no bpftrace.
others() {
	:
}

check 'alone: perf reads what it wrote' perf_works_alone
beside 'a session of the module' "$TPROF" top --engine kmod -g --json --duration 600
beside 'a session of perf events' "$TPROF" top --engine perf -g --json --duration 600

done_testing
