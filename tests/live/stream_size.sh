#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=3
# A client of the library chooses how many kept samples wait for it.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/compile.sh"
. "${0%/*}/../lib/changes.sh"

changes_build stream_size
changes 'size of the stream' stream_size perf

done_testing
