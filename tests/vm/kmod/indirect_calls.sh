# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=x86-64,next
# Kernel stacks are complete at each instruction of a call through a pointer, also in the retpoline thunk, through which
# the kernel calls if the processor must not predict indirect branches.
. "${0%/*}/../lib/live.sh"

calls=100
insmod "$TPROF_MODULES/tprof_step.ko" || bail 'the source step does not load'
at_exit 'rmmod tprof_step'
"$TPROF" record --engine kmod -e step -c 1 --kernel-only -o "$TMP/profile" -- \
	sh -c "echo $calls >/sys/module/tprof_step/parameters/calls" 2>"$TMP/stderr"
is 'recorded' $? 0
"$TPROF" report --json -i "$TMP/profile" >"$TMP/json"
ledger_closes 'recorded' "$TMP/json"
is 'nothing is lost' "$(ledger "$TMP/json" '[.lost[]] | add')" 0
"$TPROF" export --format folded -i "$TMP/profile" -o "$TMP/chains" 2>"$TMP/stderr"
is 'exported' $? 0

caller='sh;([^;]+;)*entry_SYSCALL_64_after_hwframe;do_syscall_64;([^;]+;)*set_calls;step_caller'
is 'each goes through the caller, from the root to the leaf' \
	"$(grep -Ev "^$caller(;int_sqrt|;(__pi_)?__x86_indirect_thunk_[a-z0-9]+)? [0-9]+\$" "$TMP/chains")" ''
# weight FUNCTION: prints the weight of the samples in it
weight() {
	grep -E ";$1 " "$TMP/chains" | awk '{ sum += $NF } END { print sum + 0 }'
}
check 'in the caller' test "$(weight step_caller)" -ge $((calls * 3))
check 'in what is called' test "$(weight int_sqrt)" -ge "$calls"
# The thunk has three instructions: it calls, overwrites the return address, and returns. Kernels from 7.0 on list it
# first by its other name, which has a prefix.
if grep -q Retpolines /sys/devices/system/cpu/vulnerabilities/spectre_v2; then
	is 'in the thunk' "$(weight '(__pi_)?__x86_indirect_thunk_[a-z0-9]+')" $((calls * 3))
else
	is 'without a thunk' "$(grep thunk "$TMP/chains")" ''
fi
done_testing
