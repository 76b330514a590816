# SPDX-License-Identifier: GPL-2.0-only
# vm: seconds=90
# On the oldest kernel that is supported, the perf engine charges work to the process that queued it.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/work_owners.sh"

owners_of_terminal perf "${0%/*}/../filters/owner_members.bpf.o"
done_testing
