// SPDX-License-Identifier: GPL-2.0-only
/* `tprof list`: events, engines, filters and running sessions of this machine. */
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "filter_about.h"
#include "json.h"
#include "opt.h"
#include "out.h"

/* Where a list goes: lines of text, or the elements of an array. */
struct list {
	struct json_object *array;	/* NULL: text */
	size_t nr;			/* lines written */
};

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

static void print_session_head(void)
{
	printf("%-8s %-16s %-11s %-7s %-8s %s\n", "PID", "COMMAND", "FILTER", "ENGINE", "LEDGER", "PIN");
}

static int list_session(void *ctx, const struct tprof_running *running)
{
	struct list *list = ctx;
	struct json_object *object;
	char pid[16] = "-", map[16] = "-";

	if (list->array) {
		object = json_object_new_object();
		json_set_number(object, "pid", running->pid);
		json_set_text(object, "comm", running->comm);
		json_set_text(object, "filter", running->filter);
		json_set_text(object, "engine", running->engine);
		json_set_number(object, "map_id", running->map_id);
		json_set_text(object, "pin", running->name);
		json_set_bool(object, "stale", running->stale);
		return json_object_array_add(list->array, object);
	}
	if (!list->nr++)
		print_session_head();
	if (running->pid >= 0)
		snprintf(pid, sizeof(pid), "%d", running->pid);
	if (running->map_id)
		snprintf(map, sizeof(map), "%u", running->map_id);
	printf("%-8s %-16s %-11s %-7s %-8s %s%s\n", pid, running->comm[0] ? running->comm : "-",
	       running->filter[0] ? running->filter : "-", running->engine[0] ? running->engine : "-",
	       map, running->name ? running->name : "-", running->stale ? " (stale)" : "");
	return 0;
}

static int list_sessions(struct list *list)
{
	struct tprof_error error = { 0 };
	int err = tprof_running__each(list_session, list, &error);

	if (err)
		return out_error_of(&error, err);
	if (!list->array && !list->nr)
		print_session_head();
	return EXIT_OK;
}

static const struct {
	const char *name;
	int (*list)(struct list *list);
} lists[] = {
	{ "events", list_events },
	{ "engines", list_engines },
	{ "sessions", list_sessions },
};

static int list_named(const char *name, bool json)
{
	struct list list = { 0 };
	int code, written;
	size_t i;

	if (!strcmp(name, "filters"))
		return filter_about_all(json);
	for (i = 0; i < ARRAY_SIZE(lists) && strcmp(lists[i].name, name); i++)
		;
	if (i == ARRAY_SIZE(lists))
		return out_usage("events, engines, filters or sessions", "list %s: no such list", name);
	if (json)
		list.array = json_object_new_array();
	code = lists[i].list(&list);
	if (!code && json)
		json_print(list.array);
	else
		json_object_put(list.array);
	written = out_finish();
	return code ? code : written;
}

int cmd_list(int argc, char **argv)
{
	bool json = false;
	const struct opt opts[] = {
		{ 'j', "json", NULL, "write JSON", opt_set_flag, 0 },
	};
	const struct opt_usage usage = {
		.synopsis = "list [option ...] events|engines|filters|sessions",
		.about = "List what this machine has: events, engines, filters, and the sessions that are running.",
		.groups = { { "Options", opts, ARRAY_SIZE(opts), &json } },
	};
	struct opt_rest rest;
	int code = opt_parse(&usage, argc, argv, &rest);

	if (code != OPT_RUN)
		return code;
	if (rest.nr_operands != 1)
		return out_usage("events, engines, filters or sessions", "list: takes one name of a list");
	return list_named(rest.operands[0], json);
}
