# SPDX-License-Identifier: GPL-2.0-only
# Runs programs whose allocations fail (no_memory.c). Needs tap.sh.

NO_MEMORY=$TMP/no_memory.so
"${CC:-cc}" -shared -fPIC -O1 -o "$NO_MEMORY" "${0%/*}/../lib/no_memory.c" || bail 'cannot build no_memory.so'

# allocations COMMAND...: prints the number of its allocations when none fails
allocations() {
	rm -f "$TMP/allocations"
	NO_MEMORY_COUNT=$TMP/allocations LD_PRELOAD=$NO_MEMORY "$@" >/dev/null 2>&1 </dev/null
	cat "$TMP/allocations"
}

# without_memory HOW NUMBER COMMAND...: one allocation fails (HOW is AT), or all from one on (FROM). Sets $code
without_memory() {
	without_how=$1 without_number=$2
	shift 2
	case $without_how in
	AT) NO_MEMORY_AT=$without_number LD_PRELOAD=$NO_MEMORY "$@" </dev/null ;;
	FROM) NO_MEMORY_FROM=$without_number LD_PRELOAD=$NO_MEMORY "$@" </dev/null ;;
	esac
	code=$?
}
