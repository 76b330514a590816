# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=arm64 seconds=60
# A thread counts itself: with read(2), and directly from the registers of the PMU if the kernel permits it.
. "${0%/*}/../lib/live.sh"

# counts NAME HOW EVENT...: the counters are read in this way, and count more for three times the work. Cycles of the
# emulated PMU are time, and the first loop also costs its translation, so the ratio is not known.
counts() {
	counts_name=$1 counts_how=$2
	shift 2
	"$BUILD/self" "$@" >"$TMP/self" 2>&1
	is "$counts_name: succeeds" $? 0
	sed 's/^/# /' "$TMP/self"
	is "$counts_name: how" "$(head -n 1 "$TMP/self")" "$counts_how"
	check "$counts_name: three times the work counts more" awk 'NR == 2 { exit !($2 > 0 && $3 > $2) }' "$TMP/self"
}

access=/proc/sys/kernel/perf_user_access
echo 0 >$access
counts 'without access' read r11
counts 'a software event' read task-clock
echo 1 >$access
counts 'with access' direct r11
counts 'two events' direct r11 r011
# The emulator may stand still between the reads of both.
count_the_same() {
	"$BUILD/self" r11 r011 >"$TMP/self" 2>&1
	awk 'NR == 2 { once = $2; more = $3 }
		function is_near(a, b) { return a > 0.98 * b && a < 1.02 * b }
		NR == 3 { exit !(is_near($2, once) || is_near($3, more)) }' "$TMP/self"
}
check 'two events: both count the same' await count_the_same
counts 'a software event among them' read r11 task-clock
echo 0 >$access
done_testing
