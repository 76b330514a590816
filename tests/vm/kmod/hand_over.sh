# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=x86-64,arm64,next all=arm64,next seconds=180
# A session of the module that several processes have, one after the other, also if one of them is killed.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/changes.sh"

hands_over stacks
done_testing
