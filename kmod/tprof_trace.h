/* SPDX-License-Identifier: GPL-2.0-only */
/* Tracepoints of the module, in /sys/kernel/tracing/events/tprof: what an administrator may want to follow. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM tprof

#if !defined(_TPROF_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TPROF_TRACE_H

#include <linux/tracepoint.h>

#include "uapi/tprof_device.h"

/* A session was started or stopped. */
TRACE_EVENT(tprof_session,
	TP_PROTO(u64 session, u32 state),
	TP_ARGS(session, state),
	TP_STRUCT__entry(
		__field(u64, session)
		__field(u32, state)
	),
	TP_fast_assign(
		__entry->session = session;
		__entry->state = state;
	),
	TP_printk("session=%llu state=%s", __entry->session,
		  __print_symbolic(__entry->state, { TPROF_SESSION_RUNNING, "running" },
				   { TPROF_SESSION_STOPPED, "stopped" }))
);

/* A filter has exceeded its budget and was disabled. */
TRACE_EVENT(tprof_filter_disabled,
	TP_PROTO(u64 session, u64 filter, const char *name),
	TP_ARGS(session, filter, name),
	TP_STRUCT__entry(
		__field(u64, session)
		__field(u64, filter)
		__string(name, name)
	),
	TP_fast_assign(
		__entry->session = session;
		__entry->filter = filter;
		__assign_str(name);
	),
	TP_printk("session=%llu filter=%llu name=%s", __entry->session, __entry->filter, __get_str(name))
);

/* The period of a source on a CPU was changed, because the samples took too much or little time. */
TRACE_EVENT(tprof_period,
	TP_PROTO(u32 source, const char *name, unsigned int cpu, u64 period, u32 factor),
	TP_ARGS(source, name, cpu, period, factor),
	TP_STRUCT__entry(
		__field(u32, source)
		__string(name, name)
		__field(unsigned int, cpu)
		__field(u64, period)
		__field(u32, factor)
	),
	TP_fast_assign(
		__entry->source = source;
		__assign_str(name);
		__entry->cpu = cpu;
		__entry->period = period;
		__entry->factor = factor;
	),
	TP_printk("source=%u name=%s cpu=%u period=%llu factor=%u", __entry->source, __get_str(name), __entry->cpu,
		  __entry->period, __entry->factor)
);

/* The check of learned steps has found a difference. The addresses of the first frame that differs; 0: none. */
TRACE_EVENT(tprof_kernel_stack,
	TP_PROTO(unsigned int frame, unsigned long learned, unsigned long unwound),
	TP_ARGS(frame, learned, unwound),
	TP_STRUCT__entry(
		__field(unsigned int, frame)
		__field(unsigned long, learned)
		__field(unsigned long, unwound)
	),
	TP_fast_assign(
		__entry->frame = frame;
		__entry->learned = learned;
		__entry->unwound = unwound;
	),
	TP_printk("frame=%u learned=%pS unwound=%pS", __entry->frame, (void *)__entry->learned,
		  (void *)__entry->unwound)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE tprof_trace
#include <trace/define_trace.h>
