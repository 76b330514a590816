// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Sets the stack depth of a filter object: a number in its BTF, from which libbpf computes the value size. */
#include <bpf/btf.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/libbpf_log.h"
#include "filter_image_elf.h"
#include "tprof/object.h"

/* The first is in objects with a table of stacks, the second, with the same members, in all. */
#define STACK_TYPE "tprof_stack"
#define WAIT_STACK_TYPE "tprof_wait_stack"

/* The array of frames is the last member. */
static struct btf_array *stack_frames(const struct btf *btf, const struct btf_type *stack)
{
	uint32_t nr = btf_vlen(stack);
	const struct btf_type *frames = nr ? btf__type_by_id(btf, btf_members(stack)[nr - 1].type) : NULL;

	return frames && btf_is_array(frames) ? btf_array(frames) : NULL;
}

static int set_frames(struct btf *btf, const char *name, uint32_t nr)
{
	int id = btf__find_by_name_kind(btf, name, BTF_KIND_STRUCT);
	struct btf_type *stack = id < 0 ? NULL : (struct btf_type *)btf__type_by_id(btf, (uint32_t)id);
	struct btf_array *frames = stack ? stack_frames(btf, stack) : NULL;

	if (!frames)
		return -ENOENT;
	frames->nelems = nr;
	stack->size = (uint32_t)(offsetof(struct tprof_stack, ip) + nr * sizeof(((struct tprof_stack *)0)->ip[0]));
	return 0;
}

int filter_image_set_stack_frames(struct filter_image *image, uint32_t nr)
{
	struct sections sections;
	struct libbpf_log said;
	Elf64_Shdr types;
	struct btf *btf;
	uint32_t size = 0;
	const void *raw;
	int err;

	if (!image_sections(image, &sections) || !image_find_section(&sections, SHT_PROGBITS, BTF_ELF_SEC, &types))
		return -ENOENT;
	libbpf_log_begin(&said, NULL);
	btf = btf__new(image->bytes + types.sh_offset, (uint32_t)types.sh_size);
	libbpf_log_end(&said);
	err = btf ? set_frames(btf, STACK_TYPE, nr) : -ENOENT;
	if (!err)
		err = set_frames(btf, WAIT_STACK_TYPE, nr);
	/* libbpf has changed its own copy. */
	raw = err ? NULL : btf__raw_data(btf, &size);
	if (raw && size == types.sh_size)
		memcpy(image->bytes + types.sh_offset, raw, size);
	else if (!err)
		err = -ENOENT;
	btf__free(btf);
	return err;
}
