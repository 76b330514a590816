# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=x86-64,next,next-arm64 not=debug,race
# Names of the kernel and of modules.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/kernel_names.sh"

names_singly kmod --engine kmod
case $(uname -r)-$(uname -m) in
6.12*-x86_64) ;;	# The machine perf-6.12 does it.
*) names_singly perf --engine perf ;;
esac
done_testing
