// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Prints keys, values and their types. Numbers that depend on the session go through struct value_words. */
#include "value.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/array.h"
#include "bucket.h"
#include "host/syscall_name.h"
#include "tprof.h"
#include "uapi/tprof_wait.h"

static const struct {
	uint32_t flag;
	const char *name;
} flag_names[] = {
	{ TPROF_SAMPLE_USER,	"user" },
	{ TPROF_SAMPLE_KERNEL,	"kernel" },
	{ TPROF_SAMPLE_GUEST,	"guest" },
	{ TPROF_SAMPLE_IDLE,	"idle" },
	{ TPROF_SAMPLE_IRQ,	"irq" },
	{ TPROF_SAMPLE_SOFTIRQ,	"softirq" },
	{ TPROF_SAMPLE_NMI,	"nmi" },
	{ TPROF_SAMPLE_KTHREAD,	"kthread" },
	{ TPROF_SAMPLE_WAIT,	"wait" },
};

static void print_flags(FILE *out, uint64_t flags)
{
	const char *separator = "";
	size_t i;

	if (!flags) {
		fputc('0', out);
		return;
	}
	for (i = 0; i < sizeof(flag_names) / sizeof(flag_names[0]); i++) {
		if (!(flags & flag_names[i].flag))
			continue;
		fprintf(out, "%s%s", separator, flag_names[i].name);
		separator = "|";
		flags &= ~(uint64_t)flag_names[i].flag;
	}
	if (flags)
		fprintf(out, "%s0x%" PRIx64, separator, flags);
}

static void print_state(FILE *out, uint64_t state)
{
#define X(NAME, name, text) #name,
	static const char *const names[] = { TPROF_STATES(X) };
#undef X

	if (state < ARRAY_SIZE(names))
		fputs(names[state], out);
	else
		fprintf(out, "%" PRIu64, state);
}

static void print_syscall(FILE *out, int64_t number)
{
	const char *name = syscall_name(number);

	if (number < 0)
		fputs("[no system call]", out);
	else if (name)
		fputs(name, out);
	else
		fprintf(out, "%" PRId64, number);
}

/* The thresholds are where rounding to three digits would print 1000: the next unit is used there. */
void value_ns_text(char text[VALUE_NS_TEXT], uint64_t ns)
{
	if (ns < 1000)
		snprintf(text, VALUE_NS_TEXT, "%" PRIu64 "ns", ns);
	else if (ns < 999500)
		snprintf(text, VALUE_NS_TEXT, "%.3gus", ns / 1e3);
	else if (ns < 999500000)
		snprintf(text, VALUE_NS_TEXT, "%.3gms", ns / 1e6);
	else
		snprintf(text, VALUE_NS_TEXT, "%.3fs", ns / 1e9);
}

static void print_ns(FILE *out, uint64_t ns)
{
	char text[VALUE_NS_TEXT];

	value_ns_text(text, ns);
	fputs(text, out);
}

/* False if the number is no bucket. */
static bool print_bucket(FILE *out, enum value_kind kind, uint64_t number)
{
	struct bucket bucket;
	char text[BUCKET_TEXT];

	if (!bucket_of(kind, number, &bucket))
		return false;
	bucket_text(text, kind, &bucket);
	fputs(text, out);
	return true;
}

/* Prints up to the first NUL; control characters are escaped. */
static void print_text(FILE *out, const char *text, uint32_t size)
{
	uint32_t i;

	for (i = 0; i < size && text[i]; i++) {
		if ((unsigned char)text[i] >= 0x80 || isprint((unsigned char)text[i]))
			fputc(text[i], out);
		else
			fprintf(out, "\\x%02x", (unsigned char)text[i]);
	}
}

/*
 * Prints in hexadecimal: integers wider than 64 bits with the most significant byte first, everything else in memory
 * order.
 */
static void print_bytes(FILE *out, const uint8_t *bytes, uint32_t size, bool is_integer)
{
	bool backwards = is_integer && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
	uint32_t i;

	fputs("0x", out);
	for (i = 0; i < size; i++)
		fprintf(out, "%02x", bytes[backwards ? size - 1 - i : i]);
}

static const struct btf_type *resolve(const struct btf *btf, uint32_t type_id)
{
	int id = btf__resolve_type(btf, type_id);

	return id < 0 ? NULL : btf__type_by_id(btf, id);
}

static const char *enum_name(const struct btf *btf, const struct btf_type *type, uint64_t number)
{
	int i;

	for (i = 0; btf_is_enum(type) && i < btf_vlen(type); i++)
		if ((uint32_t)btf_enum(type)[i].val == (uint32_t)number)
			return btf__name_by_offset(btf, btf_enum(type)[i].name_off);
	for (i = 0; btf_is_enum64(type) && i < btf_vlen(type); i++)
		if (btf_enum64_value(&btf_enum64(type)[i]) == number)
			return btf__name_by_offset(btf, btf_enum64(type)[i].name_off);
	return NULL;
}

static void print_number(FILE *out, const struct btf *btf, const struct value_member *member, uint64_t number)
{
	const struct btf_type *type = resolve(btf, member->type_id);
	const char *name = type ? enum_name(btf, type, number) : NULL;

	if (name)
		fputs(name, out);
	else if (type && btf_is_ptr(type))
		fprintf(out, "0x%" PRIx64, number);
	else if (type && btf_is_int(type) && (btf_int_encoding(type) & BTF_INT_BOOL))
		fputs(number ? "true" : "false", out);
	else if (member->is_signed)
		fprintf(out, "%" PRId64, (int64_t)number);
	else
		fprintf(out, "%" PRIu64, number);
}

/* The session's text for the number, or NULL. */
static const char *ask(const struct value_words *words, const struct value_layout *layout, enum value_kind kind,
		       const void *data, uint64_t number)
{
	if (!words)
		return NULL;
	switch (kind) {
	case VALUE_IP:
		return words->ip ? words->ip(words->ctx, layout, data, number) : NULL;
	case VALUE_STACK:
		return words->stack ? words->stack(words->ctx, layout, data, number) : NULL;
	case VALUE_WAKER:
		return words->waker && number ? words->waker(words->ctx, number) : NULL;
	case VALUE_TGID:
		return words->process ? words->process(words->ctx, layout, data, number) : NULL;
	case VALUE_OWNER:
		return words->owner ? words->owner(words->ctx, layout, data, number) : NULL;
	case VALUE_TID:
		return words->thread ? words->thread(words->ctx, number) : NULL;
	case VALUE_CGROUP:
		return words->cgroup ? words->cgroup(words->ctx, number) : NULL;
	case VALUE_EVENT:
		return words->event ? words->event(words->ctx, number) : NULL;
	default:
		return NULL;
	}
}

/* Prints a number for which the session has no text. */
static void print_bare(FILE *out, const struct value_layout *layout, const struct value_member *member,
		       uint64_t number)
{
	if (member->kind == VALUE_STACK && !number)
		fputs("[no stack]", out);
	else if (member->kind == VALUE_WAKER && !number)
		fputs("[no waker]", out);
	else if (member->kind == VALUE_IP || member->kind == VALUE_STACK || member->kind == VALUE_WAKER ||
		 member->kind == VALUE_EXEC || member->kind == VALUE_OWNER_EXEC)
		fprintf(out, "0x%" PRIx64, number);
	else
		print_number(out, layout->btf, member, number);
}

void value_print_member(FILE *out, const struct value_layout *layout, const struct value_member *member,
			const void *data, const struct value_words *words)
{
	const uint8_t *bytes = (const uint8_t *)data + member->offset;
	const struct btf_type *type = resolve(layout->btf, member->type_id);
	uint64_t number = value_number(member, data);
	const char *word;

	switch (member->kind) {
	case VALUE_TEXT:
		print_text(out, (const char *)bytes, member->size);
		return;
	case VALUE_BYTES:
		print_bytes(out, bytes, member->size, type && btf_is_int(type));
		return;
	case VALUE_NS:
		print_ns(out, number);
		return;
	case VALUE_FLAGS:
		print_flags(out, number);
		return;
	case VALUE_STATE:
		print_state(out, number);
		return;
	case VALUE_SYSCALL:
		print_syscall(out, (int64_t)number);
		return;
	case VALUE_LOG2:
	case VALUE_LOG2_NS:
	case VALUE_LINEAR:
		if (print_bucket(out, member->kind, number))
			return;
		break;
	default:
		break;
	}
	word = ask(words, layout, member->kind, data, number);
	if (!word)
		print_bare(out, layout, member, number);
	else if (member->kind == VALUE_TGID || member->kind == VALUE_OWNER || member->kind == VALUE_TID)
		fprintf(out, "%s (%" PRIu64 ")", word, number);
	else
		fputs(word, out);
}

static bool is_printed(const struct value_layout *layout, const struct value_member *member)
{
	return layout->nr_members == 1 || (member->kind != VALUE_EXEC && member->kind != VALUE_OWNER_EXEC &&
					   member->kind != VALUE_EVENT);
}

bool value_print_name(FILE *out, const struct value_layout *layout, const struct value_member *member, uint64_t number)
{
	if (!is_printed(layout, member) || (member->kind == VALUE_WAKER && !number && layout->nr_members > 1))
		return false;
	for (const struct value_member *before = layout->members; before < member; before++) {
		if (is_printed(layout, before)) {
			fputc(' ', out);
			break;
		}
	}
	if (member->name[0] && !layout->is_single)
		fprintf(out, "%s=", member->name);
	return true;
}

void value_print(FILE *out, const struct value_layout *layout, const void *data, const struct value_words *words)
{
	for (uint32_t i = 0; i < layout->nr_members; i++) {
		const struct value_member *member = &layout->members[i];

		if (value_print_name(out, layout, member, value_number(member, data)))
			value_print_member(out, layout, member, data, words);
	}
}

static void dump_to_file(void *ctx, const char *format, va_list args)
{
	vfprintf(ctx, format, args);
}

static void print_composite(FILE *out, struct btf_dump *dump, const struct btf *btf, const struct btf_type *type)
{
	const struct btf_member *member = btf_members(type);
	const char *name = btf__name_by_offset(btf, type->name_off);
	uint32_t bits;
	int i;

	fprintf(out, "%s %s%s{ ", btf_is_struct(type) ? "struct" : "union", name, name[0] ? " " : "");
	for (i = 0; i < btf_vlen(type); i++) {
		LIBBPF_OPTS(btf_dump_emit_type_decl_opts, opts,
			    .field_name = btf__name_by_offset(btf, member[i].name_off));

		btf_dump__emit_type_decl(dump, member[i].type, &opts);
		bits = btf_member_bitfield_size(type, i);
		if (bits)
			fprintf(out, " : %u", bits);
		fputs("; ", out);
	}
	fputc('}', out);
}

int value_print_type(FILE *out, const struct btf *btf, uint32_t type_id)
{
	const struct btf_type *type = resolve(btf, type_id);
	struct btf_dump *dump = btf_dump__new(btf, dump_to_file, out, NULL);

	if (!dump)
		return -ENOMEM;
	if (!type)
		fputc('?', out);
	else if (btf_is_composite(type))
		print_composite(out, dump, btf, type);
	else
		btf_dump__emit_type_decl(dump, type_id, NULL);
	btf_dump__free(dump);
	return 0;
}
