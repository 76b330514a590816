/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Buckets of histograms. A table that has a bucket in its key counts a distribution:
 *
 *	struct key {
 *		tprof_log2_ns_t latency;
 *		tprof_tgid_t tgid;
 *	};
 *	TPROF_TABLE(latency, struct key, 4096);
 *	...
 *		struct key key = { .latency = tprof_log2(s->data), .tgid = s->tgid };
 *
 *		tprof_count(latency, key, s->data);
 *
 * `tprof run` draws a histogram for each process then. The functions have no loop and call no helper.
 */
#ifndef __TPROF_BUCKET_BPF_H
#define __TPROF_BUCKET_BPF_H

#include <tprof/types.bpf.h>
#include <bpf/bpf_helpers.h>
#include <tprof/key.bpf.h>

/*
 * tprof_log2(value) - the bucket of a number, for histograms by powers of two
 * @value: any number
 *
 * Returns the number of significant bits: 0 for 0, otherwise n so that 2^(n-1) <= @value < 2^n; at most 64.
 */
static __always_inline tprof_log2_t tprof_log2(__u64 value)
{
	__u32 bits = 0;

	if (value >> 32) {
		value >>= 32;
		bits = 32;
	}
	if (value >> 16) {
		value >>= 16;
		bits += 16;
	}
	if (value >> 8) {
		value >>= 8;
		bits += 8;
	}
	if (value >> 4) {
		value >>= 4;
		bits += 4;
	}
	if (value >> 2) {
		value >>= 2;
		bits += 2;
	}
	/* 0 to 3 is left. */
	return bits + (value > 1 ? 2 : value);
}

/*
 * tprof_linear(value, min, max, step) - the bucket of a number, for histograms of equal steps
 * @value: any number
 * @min:   start of the first step; less is one bucket
 * @max:   end of the last step; this and more is one bucket
 * @step:  size of a step, not 0
 *
 * Returns the bounds of the bucket: the lower one in the low 32 bits, the upper one in the high 32 bits, 0 if there is
 * none.
 */
static __always_inline tprof_linear_t tprof_linear(__u64 value, __u32 min, __u32 max, __u32 step)
{
	__u64 from, to;

	if (value < min)
		return (__u64)min << 32;
	if (value >= max)
		return max;
	from = min + (value - min) / step * step;
	to = from + step;
	return from | (to < max ? to : max) << 32;
}

#endif
