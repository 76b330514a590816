/* SPDX-License-Identifier: GPL-2.0-only */
/* comm: CPU use by thread name. */
#include <tprof/filter.bpf.h>

TPROF_ABOUT("Counts samples by thread name.");

TPROF_TABLE(comm, struct tprof_comm, 4096);

TPROF_FILTER(comm, s)
{
	struct tprof_comm key;

	if (s->flags & TPROF_SAMPLE_IDLE)
		return TPROF_DONE;
	__builtin_memcpy(key.name, s->comm, sizeof(key.name));
	tprof_count(comm, key, s->weight);
	return TPROF_DONE;
}

TPROF_LICENSE("GPL");
