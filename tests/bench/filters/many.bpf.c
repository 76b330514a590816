/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * many: fills a table with different kernel addresses, some keys for each sample of the first CPU, and then stops
 * counting. The keys are those of `top`.
 */
#include <tprof/filter.bpf.h>

#define AT_ONCE		64
#define FUNCTION_BYTES	64	/* distance of the addresses, so that they are in many functions */

struct many_key {
	tprof_ip_t ip;
	tprof_cgroup_t cgroup;
	tprof_tgid_t tgid;
	tprof_exec_t exec;
};

TPROF_PARAM(__u64, base, 0);
TPROF_PARAM(__u32, keys, 1000);
TPROF_TABLE(many, struct many_key, 1000);

static __u32 next;

TPROF_FILTER(many, s)
{
	struct many_key key = { .cgroup = s->cgroup_id, .tgid = s->tgid, .exec = s->exec_id };

	if (s->cpu)
		return TPROF_DONE;
	for (int i = 0; i < AT_ONCE && next < keys; i++) {
		key.ip = base + (__u64)next++ * FUNCTION_BYTES;
		tprof_count(many, key, s->weight);
	}
	return TPROF_DONE;
}

TPROF_LICENSE("GPL");
