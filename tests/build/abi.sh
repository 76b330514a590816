#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The ABI of the shared library is that of libtprof/libtprof.abi, but for additions: functions, enumerators, and members
# at the end of the structs that libtprof.abignore names. `make abi` writes libtprof.abi; a release does this, after it
# has raised the symbol version or the SONAME.
. "${0%/*}/../lib/tap.sh"
[ "$(uname -m)" = x86_64 ] || skip_all 'libtprof.abi is of x86-64'

same() {
	abidiff --no-added-syms --suppressions libtprof/libtprof.abignore libtprof/libtprof.abi "$1" >"$TMP/diff" 2>&1
}

# found WHAT PATTERN: abidiff reports $TMP/changed.abi, and says so
found() {
	check "$1: the file differs" test "$(cmp -s "$TMP/now.abi" "$TMP/changed.abi"; echo $?)" -eq 1
	same "$TMP/changed.abi"
	is "$1: abidiff reports a change" $(($? & 4)) 4
	like "$1: it has a name" "$(cat "$TMP/diff")" "$2"
}

check 'the ABI is read' sh mk/abi.sh "$BUILD/libtprof.so.1" "$TMP/now.abi"
check 'it is that of libtprof.abi, but for additions' same "$TMP/now.abi"
[ ! -s "$TMP/diff" ] || sed 's/^/# /' "$TMP/diff"
is 'it holds no private type' "$(grep -c "<var-decl name='\(broker\|sideband\|collector\)'" "$TMP/now.abi")" 0
is 'it holds no path of this machine' "$(grep -c "='/" "$TMP/now.abi")" 0

grep -v "elf-symbol name='tprof_session__snapshot'" "$TMP/now.abi" >"$TMP/changed.abi"
found 'a function that is gone is found' tprof_session__snapshot
sed "/class-decl name='tprof_tally'/,/<\/class-decl>/s/layout-offset-in-bits='64'/layout-offset-in-bits='128'/" \
	"$TMP/now.abi" >"$TMP/changed.abi"
found 'a member that moved is found' tprof_tally
done_testing
