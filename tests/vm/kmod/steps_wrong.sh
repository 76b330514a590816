# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=x86-64,x86-64-16,next all=x86-64
# A learned step that is wrong is found by the check of walks, which switches learned steps off: few stacks are wrong
# before, and none is afterwards. The step is wrong because a module has changed its unwind data.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/kernel_stacks.sh"

spin=/sys/module/tprof_orc/parameters/spin skip=/sys/module/tprof_orc/parameters/skip
one_of=8
insmod "$TPROF_MODULES/tprof_orc.ko" || bail 'the module with wrong unwind data does not load'
at_exit 'rmmod tprof_orc'
is 'learned steps are on' "$(stacks state)" on
sets kernel_stack_check $one_of
is 'the share of checks is set' "$(cat "$PARAMETERS/kernel_stack_check")" $one_of

# weight FILE PATTERN: prints the weight of the stacks in it
weight() {
	grep -E "$2" "$1.folded" | awk '{ sum += $NF } END { print sum + 0 }'
}
right='set_spin;orc_caller;orc_callee;' wrong='set_spin;orc_callee;'

echo 1 >$skip
record_kernel "$TMP/learned" sh -c "echo 500 >$spin"
is 'the unwinder skips the function' "$(weight "$TMP/learned" $right)" 0
check 'there are stacks' test "$(weight "$TMP/learned" $wrong)" -gt 0
is 'both ways: no check has failed' "$(stacks disagreed)" 0
check 'steps are learned' test "$(stacks learned_frames)" -gt 0

echo 0 >$skip
record_kernel "$TMP/changed" sh -c "echo 1500 >$spin"
few=$(weight "$TMP/changed" $wrong)
all=$(weight "$TMP/changed" 'orc_callee;')
# Each check finds it. That none of 160 walks is checked has a probability of 5e-10. A sample weighs 1 / 997 seconds.
check 'few stacks are wrong' test "$few" -le $((160 * 1009000))
check 'the others are right' test "$(weight "$TMP/changed" $right)" -ge $((all - few))
diag "$few of $all ns are wrong"
is 'the list says so' "$(stacks state)" failed
check 'a check has failed' test "$(stacks disagreed)" -ge 1
log=$(dmesg | grep 'tprof: frame [0-9]* of a kernel stack is')
like 'the kernel log says so' "$log" ' by learned steps and .* by the unwinder: learned steps are off until '
is 'the kernel log says it once' "$(printf '%s\n' "$log" | wc -l)" 1
like 'the kernel log names the functions' "$log" 'is set_spin\+.* and orc_caller\+'

record_kernel "$TMP/off" sh -c "echo 500 >$spin"
is 'afterwards no stack is wrong' "$(weight "$TMP/off" $wrong)" 0
check 'afterwards there are stacks' test "$(weight "$TMP/off" $right)" -gt 0
before=$(stacks learned_frames)
record_kernel "$TMP/more" sh -c "echo 100 >$spin"
is 'no learned step is used' "$(stacks learned_frames)" "$before"
is 'it cannot be switched on' "$(sets kernel_stack_learned Y)" 'write error: Device or resource busy'
like 'the kernel log says what to do' "$(dmesg | tail -n 3)" 'a check has failed: load the module again'
is 'it can be switched off' "$(sets kernel_stack_learned N)" ''
is 'the parameter says so' "$(cat "$PARAMETERS/kernel_stack_learned")" N
done_testing
