# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=x86-64,arm64,next seconds=90
# Kernel stacks do not end at an exception in the kernel: a system call that writes to memory of its caller which is not
# there yet is below the handler of the page fault.
. "${0%/*}/../lib/live.sh"

# The functions with which a system call and a page fault begin. On x86 page faults of the program begin with the same.
case $(uname -m) in
x86_64) entry=entry_SYSCALL_64_after_hwframe handler=asm_exc_page_fault from=';vfs_read;.*' ;;
aarch64) entry=el0t_64_sync handler=el1h_64_sync from= ;;
*) bail "how does the kernel handle a page fault on $(uname -m)?" ;;
esac

# Each run has a buffer of its own, whose pages the kernel is the first to touch.
cat >"$TMP/work" <<'END'
i=0
while [ $i -lt 40 ]; do
	dd if=/dev/zero of=/dev/null bs=16M count=1
	i=$((i + 1))
done
END

for engine in kmod perf; do
	"$TPROF" record --engine $engine -F 997 --format folded -o "$TMP/chains" -- sh "$TMP/work" 2>"$TMP/stderr" ||
		not_ok "$engine: recorded" "$(cat "$TMP/stderr")"
	grep -E "^dd;.*$from;$handler;.*handle_mm_fault" "$TMP/chains" >"$TMP/faults"
	like "$engine: read() has page faults" "$(cat "$TMP/faults")" ";$entry;.*;vfs_read;.*;$handler;"
	# A new process writes its number for its parent before it returns from fork().
	is "$engine: a system call is below all of them" \
		"$(grep -Ev ";($entry|ret_from_fork);.*;$handler;" "$TMP/faults" | head -n 3)" ''
done

done_testing
