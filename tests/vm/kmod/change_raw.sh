# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=x86-64,next,rt,debug seconds=120
# A raw recording of the module has marks of the client, and notes of its targets, pauses and periods.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/changes.sh"

changes kmod change_raw kmod "$TMP/kmod.traw"

done_testing
