# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=x86-64,next,rt,debug seconds=120
# The filter of a session of the module is replaced 100 times: no sample is lost, and the ledger closes.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/changes.sh"

changes 'cpu-clock, in the sandbox' change_filter kmod cpu-clock sandbox
changes 'refused' change_filter_refused kmod

done_testing
