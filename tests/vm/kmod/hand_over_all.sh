# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=x86-64,arm64,next all=x86-64,arm64,next seconds=180
# As hand_over.sh, with filters that have other tables, and copies of stacks.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/changes.sh"

hands_over top dwarf
done_testing
