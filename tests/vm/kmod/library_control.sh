# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=x86-64,arm64 not=debug,race all=x86-64
# Calls of the library that only the engine kmod has: tprof_session__enable_filters(), tprof_session__seal().
. "${0%/*}/../lib/live.sh"

write() {
	echo "$2" >/sys/module/tprof/parameters/"$1"
}

budget=$(cat /sys/module/tprof/parameters/budget_permille)
write budget_permille 20
"$BUILD/library_control" "${0%/*}/../filters/takes_long.bpf.o" >"$TMP/said" 2>&1
is 'exit code' $? 0
is 'what does not work' "$(grep -v '^ok ' "$TMP/said" | grep -vx '1\.\.[0-9]*')" ''
check 'all of it was tried' grep -qx "1\.\.$(grep -c '^ok ' "$TMP/said")" "$TMP/said"
write budget_permille "$budget"

done_testing
