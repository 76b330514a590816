# SPDX-License-Identifier: GPL-2.0-only
# vm: seconds=180
# Call chains of programs whose calls are known: right from the root to the leaf on the module as on perf.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/chains.sh"

known_chains kmod
known_chains perf

done_testing
