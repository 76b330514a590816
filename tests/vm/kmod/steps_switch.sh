# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=x86-64,next
# Learned steps: the parameters, the list in debugfs, and that the table is thrown away when a module comes or goes.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/kernel_stacks.sh"

work='dd if=/dev/zero of=/dev/null bs=4k count=20000'
is 'the columns are those of the manual' "$(head -n 1 $KERNEL_STACKS | tr '\t' ' ')" \
	'state steps others refused walks frames learned_frames checked disagreed'
is 'on by default' "$(cat "$PARAMETERS/kernel_stack_learned"):$(stacks state)" Y:on
is 'one of 1,024 walks is checked by default' "$(cat "$PARAMETERS/kernel_stack_check")" 1024
for wrong in 0 65537 -1 x; do
	is "kernel_stack_check: $wrong is refused" "$(sets kernel_stack_check "$wrong")" 'write error: Invalid argument'
done
is 'kernel_stack_learned: x is refused' "$(sets kernel_stack_learned x)" 'write error: Invalid argument'

# shellcheck disable=SC2086 # words
record_kernel "$TMP/cold" $work
check 'steps are known' test "$(stacks steps)" -gt 20
walks=$(stacks walks) learned=$(stacks learned_frames)
# shellcheck disable=SC2086 # words
record_kernel "$TMP/on" $work
walks=$(($(stacks walks) - walks))
check 'they are used in each walk, on average' test $(($(stacks learned_frames) - learned)) -ge $walks
is 'no check has failed' "$(stacks disagreed)" 0
learned=$(stacks learned_frames)
diag "$walks walks; all: $(sed 1d $KERNEL_STACKS)"

echo N >"$PARAMETERS/kernel_stack_learned"
is 'switched off' "$(stacks state)" off
walks=$(stacks walks)
# shellcheck disable=SC2086 # words
record_kernel "$TMP/off" $work
is 'off: no learned step is used' "$(stacks learned_frames):$(stacks walks)" "$learned:$walks"
like 'off: there are stacks' "$(cat "$TMP/off.folded")" ';entry_SYSCALL_64_after_hwframe;do_syscall_64;.*vfs_read;'

# Nothing is sampled meanwhile, so nothing is learned.
check 'a module comes' insmod "$TPROF_MODULES/tprof_aux.ko"
is 'a module comes: the table is empty' "$(stacks steps):$(stacks others):$(stacks refused)" 0:0:0
echo Y >"$PARAMETERS/kernel_stack_learned"
is 'switched on' "$(stacks state)" on
# shellcheck disable=SC2086 # words
record_kernel "$TMP/again" $work
check 'learned again' test "$(stacks steps)" -gt 20
check 'a module goes' rmmod tprof_aux
is 'a module goes: the table is empty' "$(stacks steps):$(stacks others):$(stacks refused)" 0:0:0
done_testing
