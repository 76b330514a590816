// SPDX-License-Identifier: GPL-2.0-only
/* The filter calls a helper that filters of the module may not call: it formats any type, however long that takes. */
#include <tprof/filter.bpf.h>

/* As in linux/bpf.h. */
struct btf_ptr {
	void *ptr;
	__u32 type_id, flags;
};

TPROF_TABLE(tasks, tprof_tgid_t, 64);

TPROF_FILTER(helper, s)
{
	char text[8];
	struct btf_ptr pointer = { .ptr = (void *)s };

	if (bpf_snprintf_btf(text, sizeof(text), &pointer, sizeof(pointer), 0))
		tprof_count(tasks, s->tgid, s->weight);
	return TPROF_DONE;
}

TPROF_LICENSE("GPL");
