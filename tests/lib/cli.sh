# SPDX-License-Identifier: GPL-2.0-only
# For tests of the commands that read profiles, which need no privileges: $MAKE_PROFILE writes profiles with known sums.
# Sources tap.sh and ledger.sh.

. "${0%/*}/../lib/tap.sh"
. "${0%/*}/../lib/ledger.sh"

TPROF=$(realpath "$TPROF")
# shellcheck disable=SC2034 # used by the tests
MAKE_PROFILE=$BUILD/cli/make_profile
[ -x "$TPROF" ] && [ -x "$MAKE_PROFILE" ] || bail "there is no $TPROF or $MAKE_PROFILE: make all unit builds them"

# page_data FILE: prints the JSON in a page of `tprof flame`
page_data() {
	sed -n '/<script type="application\/json"/,/<\/script>/p' "$1" | sed '1d;$d'
}
