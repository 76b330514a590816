# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=x86-64,next seconds=120
# The module allocates memory when a session is created and started, and nothing for a sample: the kernel's tracepoints
# of allocations see the first, and not the second.
. "${0%/*}/../lib/live.sh"

tracing=/sys/kernel/tracing

# allocations FLAGS: prints how many allocations of the module's code were traced in a context with one of these flags
allocations() {
	awk -v flags="$1" '/call_site=(tprof_|.*\[tprof\])/ && $3 ~ flags { n++ } END { print n + 0 }' $tracing/trace
}

for event in kmalloc kmem_cache_alloc mm_page_alloc; do
	echo 1 >"$tracing/events/kmem/$event/enable" || bail "no tracepoint $event"
	at_exit "echo 0 >$tracing/events/kmem/$event/enable"
done
lazy "$WORKLOAD/spin" --seconds 3600 --threads 2
echo >"$tracing/trace"
background "$TPROF" top --batch -d 300 -e cpu-clock -F 999
top=$pid
await_sessions 1
check 'a session that is created allocates' [ "$(allocations .)" -gt 0 ]
sleep 1
fired=$("$TPROF" list sources --json | jq '[.[].fired] | add')
echo >"$tracing/trace"
sleep 3
is 'a sample allocates nothing, in no interrupt' "$(allocations '[hHzZ]')" 0
check 'samples have fired' [ "$("$TPROF" list sources --json | jq '[.[].fired] | add')" -gt $((fired + 1000)) ]
# In interrupts, the kernel itself allocates for timers and softirqs; in hard interrupts of the timer it does not.
is 'no allocation in a hard interrupt while a filter runs' "$(grep -c 'tprof_deliver' $tracing/trace)" 0
end "$top"
echo >"$tracing/trace"
done_testing
