# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=x86-64,next not=debug,race seconds=120
# Shipped filters run on the module, and their tables contain as many samples as its ledger says. Meanwhile bpftool
# shows the filters: their programs, their links, and their tables, whose keys and values have member names. Not on
# kernels with debugging checks, which need most of an hour for many sessions at once.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/bpftool.sh"

bpftool_shows comm cpu stacks threads top
done_testing
