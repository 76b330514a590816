// SPDX-License-Identifier: GPL-2.0-only
/* `tprof list`: events, engines, filters, formats, sources and sessions of this machine; functions of an object. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/opt.h"
#include "base/out.h"
#include "cmd.h"
#include "list/filter_about.h"
#include "list/list.h"

#define NAMES "events, engines, filters, formats, functions, sessions or sources"

int list_append(struct list *list, json_t *object)
{
	list->array = json_and(list->array, object);
	return list->array ? 0 : -ENOMEM;
}

static int list_event(void *ctx, const char *name, const char *kind, bool usable)
{
	struct list *list = ctx;

	if (!list->json) {
		printf("%-28s %-10s %s\n", name, kind, usable ? "yes" : "no");
		return 0;
	}
	return list_append(list, json_pack("{so so sb}", "name", json_of_text(name), "kind", json_of_text(kind),
					   "usable", usable));
}

static int list_events(struct list *list)
{
	int err;

	if (!list->json)
		printf("%-28s %-10s %s\n", "EVENT", "KIND", "HERE");
	err = tprof_event__each(list_event, list);
	/* Not all of them: there are thousands. */
	if (!err && !list->json)
		puts("# pfm:NAME, for a name of the CPU's manual, needs libpfm4; perf list pfm shows the names");
	return out_written(err);
}

static int list_engine(void *ctx, const char *name, int usable, const struct tprof_error *why)
{
	struct list *list = ctx;

	if (!list->json) {
		printf("%-8s %s%s\n", name, usable ? "cannot be used: " : "works", usable ? why->text : "");
		if (usable && why->hint[0])
			printf("%-8s hint: %s\n", "", why->hint);
		return 0;
	}
	return list_append(list, json_pack("{ss sb so so}", "name", name, "usable", !usable,
					   "why", json_of_text(usable ? why->text : NULL),
					   "hint", json_of_text(usable && why->hint[0] ? why->hint : NULL)));
}

static int list_engines(struct list *list)
{
	return out_written(tprof_engine__each(list_engine, list));
}

static int list_format(void *ctx, const struct tprof_format *format)
{
	struct list *list = ctx;

	if (!list->json) {
		printf("%-10s %-10s %s\n", format->name, format->suffix, format->about);
		return 0;
	}
	return list_append(list, json_pack("{ss ss ss sb}", "name", format->name, "suffix", format->suffix,
					   "about", format->about, "binary", format->binary));
}

static int list_formats(struct list *list)
{
	return out_written(tprof_format__each(list_format, list));
}

static const struct {
	const char *name;
	int (*list)(struct list *list);
} lists[] = {
	{ "events", list_events },
	{ "engines", list_engines },
	{ "formats", list_formats },
	{ "functions", list_functions },
	{ "sessions", list_sessions },
	{ "sources", list_sources },
};

struct list_options {
	bool json;
	bool running;
};

static int list_into(int (*fn)(struct list *list), bool json, char *const *operands)
{
	struct list list = { .json = json, .array = json ? json_array() : NULL, .operands = operands };
	int code = fn(&list), written;

	if (!code && json)
		code = out_written(json_print(list.array));
	else
		json_decref(list.array);
	written = out_finish();
	return code ? code : written;
}

/* @operands: the name of the list, then its arguments, NULL-terminated. */
static int list_named(char *const *operands, const struct list_options *options)
{
	const char *name = operands[0];

	if (!strcmp(name, "filters"))
		return options->running ? list_into(list_running_filters, options->json, operands) :
					  filter_about_all(options->json);
	if (options->running)
		return out_usage("use `tprof list --running filters`", "list %s: --running is only for filters", name);
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		if (!strcmp(lists[i].name, name))
			return list_into(lists[i].list, options->json, operands);
	}
	return out_usage("use " NAMES, "list %s: no such list", name);
}

static const struct opt_words words[] = { { ".", "events engines filters formats functions sessions sources" }, { 0 } };

#define AT(member) offsetof(struct list_options, member)

int cmd_list(int argc, char **argv)
{
	struct list_options options = { 0 };
	const struct opt opts[] = {
		{ 'j', "json", NULL, "write JSON", opt_set_flag, AT(json) },
		{ 0, "running", NULL, "with filters: those attached to the kernel module, with their run time",
		  opt_set_flag, AT(running) },
	};
	const struct opt_usage usage = {
		.synopsis = "list [option ...] events|engines|filters|formats|sessions|sources | "
			    "functions OBJECT [PATTERN]",
		.about = "List events, engines, filters, file formats, running sessions or sources of the kernel "
			 "module on this machine; or the functions of an object with all their names.",
		.words = words,
		.groups = { { "Options", opts, ARRAY_SIZE(opts), &options } },
	};
	struct opt_rest rest;
	int code = opt_parse(&usage, argc, argv, &rest);

	if (code != OPT_RUN)
		return code;
	if (rest.nr_operands && !strcmp(rest.operands[0], "functions")) {
		if (rest.nr_operands < 2 || rest.nr_operands > 3)
			return out_usage("for example: tprof list functions /usr/bin/xz 'lzma_*'",
					 "list functions: takes an object, and optionally one pattern");
	} else if (rest.nr_operands != 1) {
		return out_usage("use " NAMES, "list: takes the name of one list");
	}
	return list_named(rest.operands, &options);
}
