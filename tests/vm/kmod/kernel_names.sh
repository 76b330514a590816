# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=x86-64,next,next-arm64
# Names of the kernel and of modules.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/kernel_names.sh"

names_singly kmod --engine kmod
names_singly perf --engine perf
done_testing
