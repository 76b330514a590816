// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Names that become known after their addresses were symbolized. */
#include <errno.h>
#include <string.h>

#include "symbolizer.h"

void symbolizer_ask_late(void *ctx, struct late_name *late)
{
	struct symbolizer *symbolizer = ctx;
	const struct aspace_program program = aspaces_program(symbolizer->aspaces, late->tgid, late->ip);
	struct perfmaps_life life = place_life_of(&program);
	const char *name;

	switch (perfmaps_find_late(symbolizer->perfmaps, late->tgid, &life, &late->moment, late->ip, &name)) {
	case PERFMAPS_FOUND:
		late->name = intern_name(symbolizer->strings, name);
		return;
	case PERFMAPS_NONE:
		return;
	default:
		late->is_over = true;
	}
}

static const char *late_name_now(const struct late_name *late)
{
	return late->name ? late->name : late->memory;
}

void symbolizer_rename(const struct symbolizer *symbolizer, const char **symbol, const char **object,
		       uint64_t *address)
{
	const struct late_name *late = late_names_find(&symbolizer->late, *symbol);
	const char *name = late ? late_name_now(late) : NULL;

	if (!late)
		return;
	if (*symbol != late->text && strcmp(*symbol, late->text) != 0)
		name = place_marked_name(symbolizer, name);
	*symbol = name ? name : late_name_now(late);
	*object = late->name ? "[jit]" : late->memory;
	if (!late->name)
		*address = 0;
}

bool symbolizer_has_late(const struct symbolizer *symbolizer)
{
	return symbolizer->late.by_place.nr != 0;
}

void symbolizer_forget_late(struct symbolizer *symbolizer)
{
	late_names_forget(&symbolizer->late);
}

/* Reports the symbol for one placeholder frame. */
static void settle_frame(struct symbolizer_late *late, const struct late_name *name, const char *text,
			 const char *symbol)
{
	const struct tprof_frame frame = {
		.symbol = text, .object = "[jit]", .path = "", .build_id = "", .address = name->ip,
		.mode = TPROF_MODE_USER, .file = "",
	};

	if (!late->err)
		late->err = symbol ? late->fn(late->ctx, &frame, symbol, name->name ? "[jit]" : name->memory) : -ENOMEM;
}

/* Keeps the entry until no name can appear any more, so that its placeholder stays in use. */
static bool settle(void *ctx, struct late_name *name)
{
	struct symbolizer_late *late = ctx;

	if (!name->name && !name->is_over && !late->all)
		return true;
	if (!name->is_written)
		settle_frame(late, name, name->text, late_name_now(name));
	if (!name->is_written && name->is_marked)
		settle_frame(late, name, name->marked, place_marked_name(late->symbolizer, late_name_now(name)));
	name->is_written = true;
	return !name->is_over;
}

int symbolizer_settle_late(struct symbolizer *symbolizer, struct symbolizer_late *late)
{
	late->err = 0;
	late->symbolizer = symbolizer;
	late_names_filter(&symbolizer->late, settle, late);
	return late->err;
}

/* For moving the strings of late names to another table. */
struct moving {
	struct intern *into;
	bool failed;
};

static bool keep_strings(void *ctx, struct late_name *late)
{
	struct moving *moving = ctx;

	if (!intern_string(moving->into, late->memory) || (late->name && !intern_string(moving->into, late->name)))
		moving->failed = true;
	return true;
}

/* Cannot fail: keep_strings() has added all of them. */
static bool take_strings(void *ctx, struct late_name *late)
{
	struct moving *moving = ctx;

	late->memory = intern_string(moving->into, late->memory);
	if (late->name)
		late->name = intern_string(moving->into, late->name);
	return true;
}

/* Only late names refer to symbolizer->strings here. Without memory, nothing changes. */
void symbolizer_forget_strings(struct symbolizer *symbolizer)
{
	struct moving moving = { 0 };

	if (intern_bytes(symbolizer->strings) < symbolizer->max_strings_bytes)
		return;
	moving.into = intern_new();
	if (!moving.into)
		return;
	late_names_filter(&symbolizer->late, keep_strings, &moving);
	if (moving.failed) {
		intern_free(moving.into);
		return;
	}
	late_names_filter(&symbolizer->late, take_strings, &moving);
	intern_free(symbolizer->strings);
	symbolizer->strings = moving.into;
	symbolizer->max_strings_bytes = 2 * intern_bytes(moving.into);
	if (symbolizer->max_strings_bytes < MIN_STRINGS_BYTES)
		symbolizer->max_strings_bytes = MIN_STRINGS_BYTES;
}
