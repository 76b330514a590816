/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Keys and values of tables, typed by BTF: their members, offsets and text form. */
#ifndef TPROF_VALUE_H
#define TPROF_VALUE_H

#include <bpf/btf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* The meaning of a number, by the name of its typedef (bpf/include/tprof/key.bpf.h). */
enum value_kind {
	VALUE_NUMBER,		/* any integer: decimal; enum: its name; bool: true or false; pointer: hex */
	VALUE_TEXT,		/* array of char, struct tprof_comm */
	VALUE_BYTES,		/* anything else: hex */
	VALUE_IP,		/* tprof_ip_t */
	VALUE_STACK,		/* tprof_stack_t */
	VALUE_WAKER,		/* tprof_waker_t; 0 is not printed beside other members */
	VALUE_CGROUP,		/* tprof_cgroup_t */
	VALUE_NS,		/* tprof_ns_t */
	VALUE_TGID,		/* tprof_tgid_t */
	VALUE_TID,		/* tprof_tid_t */
	VALUE_EXEC,		/* tprof_exec_t */
	VALUE_OWNER,		/* tprof_owner_t */
	VALUE_OWNER_EXEC,	/* tprof_owner_exec_t */
	VALUE_CPU,		/* tprof_cpu_t */
	VALUE_FLAGS,		/* tprof_flags_t */
	VALUE_EVENT,		/* tprof_event_t */
	VALUE_STATE,		/* tprof_state_t */
	VALUE_SYSCALL,		/* tprof_syscall_t */
	VALUE_TGID_EVENT,	/* tprof_tgid_event_t: becomes two members, a VALUE_TGID and a VALUE_EVENT */
	VALUE_LOG2,		/* tprof_log2_t */
	VALUE_LOG2_NS,		/* tprof_log2_ns_t */
	VALUE_LINEAR,		/* tprof_linear_t */
};

struct value_member {
	const char *name;	/* "" if the type is not a struct; belongs to the BTF */
	enum value_kind kind;
	uint32_t type_id;	/* of the member, with typedefs */
	uint32_t offset;	/* bytes */
	uint32_t size;		/* bytes */
	uint32_t bit_offset;	/* bit fields only: within the bytes at offset */
	uint32_t bit_size;	/* 0: not a bit field */
	bool is_signed;
};

#define VALUE_MAX_MEMBERS 32

/* The members of a type. Nested structs and small arrays of structs are flattened ("a.b"). */
struct value_layout {
	const struct btf *btf;	/* not owned */
	uint32_t type_id;
	uint32_t size;		/* bytes of the whole type */
	uint32_t holes;		/* bytes that belong to no member */
	bool is_single;		/* one member and the event: printed as a type that is not a struct */
	uint32_t nr_members;
	struct value_member members[VALUE_MAX_MEMBERS];
	char names[512];	/* storage for names of nested members */
};

/* Errors: EINVAL (type cannot be used), E2BIG (too many members). */
int value_layout_init(struct value_layout *layout, const struct btf *btf, uint32_t type_id);

/* Finds the first member of that kind, or NULL. */
const struct value_member *value_layout_find(const struct value_layout *layout, enum value_kind kind);

/* Removes the members of that kind: they are neither printed nor found. */
void value_layout_hide(struct value_layout *layout, enum value_kind kind);

/* Reads an integer member of a key or value, sign- or zero-extended. */
uint64_t value_number_any(const struct value_member *member, const void *data);

/* The same; inlined for nearly all keys and values, because some are read for each entry of a table. */
static inline uint64_t value_number(const struct value_member *member, const void *data)
{
	const uint8_t *at = (const uint8_t *)data + member->offset;
	uint64_t number;
	uint32_t half;

	if (member->size == sizeof(number) && !member->bit_size) {
		memcpy(&number, at, sizeof(number));
		return number;
	}
	if (member->size == sizeof(half) && !member->bit_size && !member->is_signed) {
		memcpy(&half, at, sizeof(half));
		return half;
	}
	return value_number_any(member, data);
}

/* Callbacks for numbers whose text depends on the session. Each returns NULL if it has no text for the number. */
struct value_words {
	const char *(*ip)(void *ctx, const struct value_layout *layout, const void *data, uint64_t ip);
	const char *(*stack)(void *ctx, const struct value_layout *layout, const void *data, uint64_t id);
	const char *(*waker)(void *ctx, uint64_t id);
	const char *(*process)(void *ctx, const struct value_layout *layout, const void *data, uint32_t tgid);
	const char *(*owner)(void *ctx, const struct value_layout *layout, const void *data, uint32_t tgid);
	const char *(*thread)(void *ctx, uint32_t tid);
	const char *(*cgroup)(void *ctx, uint64_t id);
	const char *(*event)(void *ctx, uint64_t index);
	void *ctx;
};

/* Writes one member: number, "name (pid)", symbol, path, ... */
void value_print_member(FILE *out, const struct value_layout *layout, const struct value_member *member,
			const void *data, const struct value_words *words);
/*
 * Writes the prefix of a member in value_print(): a blank behind another one, and its name. False if the member is not
 * printed, as VALUE_EXEC, VALUE_OWNER_EXEC, VALUE_EVENT and a VALUE_WAKER with @number 0 beside others.
 */
bool value_print_name(FILE *out, const struct value_layout *layout, const struct value_member *member, uint64_t number);
/* Writes all members as "name=value name=value", a non-struct type as its value. */
void value_print(FILE *out, const struct value_layout *layout, const void *data, const struct value_words *words);
/* Longest text of a time. */
#define VALUE_NS_TEXT 32
/* A time as text: "1.23ms". */
void value_ns_text(char text[VALUE_NS_TEXT], uint64_t ns);
/* Writes the type as C: "struct top_key { tprof_ip_t ip; ... }". Returns 0 or -ENOMEM. */
int value_print_type(FILE *out, const struct btf *btf, uint32_t type_id);

#endif
