// SPDX-License-Identifier: GPL-2.0-only
/* `tprof list`: events, engines, filters, formats, sources and running sessions of this machine. */
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "filter_about.h"
#include "json.h"
#include "list.h"
#include "opt.h"
#include "out.h"

#define NAMES "events, engines, filters, formats, sessions or sources"

static int list_event(void *ctx, const char *name, const char *kind, bool usable)
{
	struct list *list = ctx;
	struct json_object *object;

	if (!list->array) {
		printf("%-28s %-10s %s\n", name, kind, usable ? "yes" : "no");
		return 0;
	}
	object = json_object_new_object();
	json_set_text(object, "name", name);
	json_set_text(object, "kind", kind);
	json_set_bool(object, "usable", usable);
	return json_object_array_add(list->array, object);
}

static int list_events(struct list *list)
{
	if (!list->array)
		printf("%-28s %-10s %s\n", "EVENT", "KIND", "HERE");
	tprof_event__each(list_event, list);
	return EXIT_OK;
}

static int list_engine(void *ctx, const char *name, int usable, const struct tprof_error *why)
{
	struct list *list = ctx;
	struct json_object *object;

	if (!list->array) {
		printf("%-8s %s%s\n", name, usable ? "cannot be used: " : "works", usable ? why->text : "");
		if (usable && why->hint[0])
			printf("%-8s hint: %s\n", "", why->hint);
		return 0;
	}
	object = json_object_new_object();
	json_set_text(object, "name", name);
	json_set_bool(object, "usable", !usable);
	json_set_text(object, "why", usable ? why->text : NULL);
	json_set_text(object, "hint", usable && why->hint[0] ? why->hint : NULL);
	return json_object_array_add(list->array, object);
}

static int list_engines(struct list *list)
{
	tprof_engine__each(list_engine, list);
	return EXIT_OK;
}

static int list_format(void *ctx, const struct tprof_format *format)
{
	struct list *list = ctx;
	struct json_object *object;

	if (!list->array) {
		printf("%-10s %-10s %s\n", format->name, format->suffix, format->about);
		return 0;
	}
	object = json_object_new_object();
	json_set_text(object, "name", format->name);
	json_set_text(object, "suffix", format->suffix);
	json_set_text(object, "about", format->about);
	json_set_bool(object, "binary", format->binary);
	return json_object_array_add(list->array, object);
}

static int list_formats(struct list *list)
{
	tprof_format__each(list_format, list);
	return EXIT_OK;
}

static const struct {
	const char *name;
	int (*list)(struct list *list);
} lists[] = {
	{ "events", list_events },
	{ "engines", list_engines },
	{ "formats", list_formats },
	{ "sessions", list_sessions },
	{ "sources", list_sources },
};

struct list_options {
	bool json;
	bool running;
};

static int list_into(int (*fn)(struct list *list), bool json)
{
	struct list list = { .array = json ? json_object_new_array() : NULL };
	int code = fn(&list), written;

	if (!code && json)
		json_print(list.array);
	else
		json_object_put(list.array);
	written = out_finish();
	return code ? code : written;
}

static int list_named(const char *name, const struct list_options *options)
{
	if (!strcmp(name, "filters"))
		return options->running ? list_into(list_running_filters, options->json) :
					  filter_about_all(options->json);
	if (options->running)
		return out_usage("tprof list --running filters", "list %s: --running is for filters", name);
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		if (!strcmp(lists[i].name, name))
			return list_into(lists[i].list, options->json);
	}
	return out_usage(NAMES, "list %s: no such list", name);
}

static const struct opt_words words[] = { { ".", "events engines filters formats sessions sources" }, { 0 } };

#define AT(member) offsetof(struct list_options, member)

int cmd_list(int argc, char **argv)
{
	struct list_options options = { 0 };
	const struct opt opts[] = {
		{ 'j', "json", NULL, "write JSON", opt_set_flag, AT(json) },
		{ 0, "running", NULL, "filters: those that are attached to the module, with their run time",
		  opt_set_flag, AT(running) },
	};
	const struct opt_usage usage = {
		.synopsis = "list [option ...] events|engines|filters|formats|sessions|sources",
		.about = "List what this machine has: events, engines, filters, formats of files, the sessions that "
			 "are running, and the sources of the kernel module.",
		.words = words,
		.groups = { { "Options", opts, ARRAY_SIZE(opts), &options } },
	};
	struct opt_rest rest;
	int code = opt_parse(&usage, argc, argv, &rest);

	if (code != OPT_RUN)
		return code;
	if (rest.nr_operands != 1)
		return out_usage(NAMES, "list: takes one name of a list");
	return list_named(rest.operands[0], &options);
}
