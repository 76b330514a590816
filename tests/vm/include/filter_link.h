/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Replaces, detaches, pins and queries attached filters; and filters that count their calls in a map. Include filter.h
 * first.
 */
#ifndef TPROF_TESTS_FILTER_LINK_H
#define TPROF_TESTS_FILTER_LINK_H

/* Returns 0, or -1 with errno. */
__attribute__((unused))
static int replace_filter(int link, int map)
{
	union bpf_attr attr = { .link_update = { .link_fd = (uint32_t)link, .new_prog_fd = (uint32_t)map } };

	return (int)filter_bpf(BPF_LINK_UPDATE, &attr, sizeof(attr));
}

/* Replaces the filter only if @old is linked. */
__attribute__((unused))
static int replace_this_filter(int link, int map, int old)
{
	union bpf_attr attr = {
		.link_update = {
			.link_fd = (uint32_t)link, .new_prog_fd = (uint32_t)map, .flags = BPF_F_REPLACE,
			.old_prog_fd = (uint32_t)old,
		},
	};

	return (int)filter_bpf(BPF_LINK_UPDATE, &attr, sizeof(attr));
}

/* Detaches the filter; the descriptor of the link stays open. */
__attribute__((unused))
static int detach_filter(int link)
{
	union bpf_attr attr = { .link_detach = { .link_fd = (uint32_t)link } };

	return (int)filter_bpf(BPF_LINK_DETACH, &attr, sizeof(attr));
}

__attribute__((unused))
static int pin_link(int link, const char *path)
{
	union bpf_attr attr = { .pathname = (uintptr_t)path, .bpf_fd = (uint32_t)link };

	return (int)filter_bpf(BPF_OBJ_PIN, &attr, sizeof(attr));
}

__attribute__((unused))
static int get_link(const char *path)
{
	union bpf_attr attr = { .pathname = (uintptr_t)path };

	return (int)filter_bpf(BPF_OBJ_GET, &attr, sizeof(attr));
}

__attribute__((unused))
static struct tprof_filter_info read_filter_info(int session, uint32_t index)
{
	struct tprof_filter_info info = { .size = sizeof(info), .index = index };

	need(ioctl(session, TPROF_IOC_FILTER, &info) == 0, "filter %u tells of itself", index);
	return info;
}

/* Makes an array map with one value of this size. */
__attribute__((unused))
static int new_value(uint32_t bytes)
{
	union bpf_attr attr = {
		.map_type = BPF_MAP_TYPE_ARRAY, .key_size = sizeof(uint32_t), .value_size = bytes, .max_entries = 1,
	};
	int map = (int)filter_bpf(BPF_MAP_CREATE, &attr, sizeof(attr));

	need(map >= 0, "a map with a value");
	return map;
}

__attribute__((unused))
static void read_value(int map, void *value)
{
	uint32_t key = 0;
	union bpf_attr attr = { .map_fd = (uint32_t)map, .key = (uintptr_t)&key, .value = (uintptr_t)value };

	need(filter_bpf(BPF_MAP_LOOKUP_ELEM, &attr, sizeof(attr)) == 0, "the value is read");
}

__attribute__((unused))
static void set_value(int map, const void *value)
{
	uint32_t key = 0;
	union bpf_attr attr = { .map_fd = (uint32_t)map, .key = (uintptr_t)&key, .value = (uintptr_t)value };

	need(filter_bpf(BPF_MAP_UPDATE_ELEM, &attr, sizeof(attr)) == 0, "the value is set");
}

/* Makes a map with one number, which filters increment. */
__attribute__((unused))
static int new_counter(void)
{
	return new_value(sizeof(uint64_t));
}

__attribute__((unused))
static uint64_t read_counter(int map)
{
	uint64_t value = 0;

	read_value(map, &value);
	return value;
}

__attribute__((unused))
static void set_counter(int map, uint64_t value)
{
	set_value(map, &value);
}

/* Two instructions that load the address of the number in a map. */
#define ADDRESS_OF_COUNTER(reg, map)								\
	{ .code = BPF_LD | BPF_IMM | BPF_DW, .dst_reg = (reg), .src_reg = BPF_PSEUDO_MAP_VALUE, .imm = (map) },	\
	{ .imm = 0 }

/* Makes a filter that counts its calls and always returns the same verdict. */
__attribute__((unused))
static int make_counting_filter(int session, const char *name, int counter, int verdict)
{
	const struct bpf_insn insns[] = {
		ADDRESS_OF_COUNTER(BPF_REG_1, counter),
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_2, .imm = 1 },
		{ .code = BPF_STX | BPF_ATOMIC | BPF_DW, .dst_reg = BPF_REG_1, .src_reg = BPF_REG_2, .imm = BPF_ADD },
		ANSWER(verdict),
	};
	int map = make_filter(session, name, 0, insns, sizeof(insns) / sizeof(insns[0]));

	need(map >= 0, "a filter that counts");
	return map;
}

#endif
