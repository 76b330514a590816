# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=x86-64
# A client of the library chooses how many kept samples wait for it, and what happens when the stream is full.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/changes.sh"

changes 'size of the stream' stream_size kmod

done_testing
