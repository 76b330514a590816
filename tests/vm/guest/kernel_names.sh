# SPDX-License-Identifier: GPL-2.0-only
# Names of the kernel, in a sandbox and, with long=1, without one.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/kernel_names.sh"

names_singly sandbox
[ -z "${long:-}" ] || names_singly 'no sandbox' --no-sandbox
done_testing
