// SPDX-License-Identifier: GPL-2.0-only
/* The sources of the kernel module, and the filters attached to its sessions. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_code.h"
#include "base/json.h"
#include "base/out.h"
#include "base/units.h"
#include "list.h"

static bool is_number(const char *text)
{
	return text[0] && strspn(text, "0123456789") == strlen(text);
}

json_t *list_json(const struct tprof_listing *line)
{
	json_t *object = json_object();

	for (size_t i = 0; i < line->nr; i++) {
		const char *text = line->values[i];

		object = json_with(object, line->names[i], is_number(text) ? json_of_count(strtoull(text, NULL, 10)) :
									     json_of_text(text));
	}
	return object;
}

const char *list_value(const struct tprof_listing *line, const char *name)
{
	const char *text = tprof_listing__value(line, name);

	return text[0] ? text : "-";
}

static uint64_t number(const struct tprof_listing *line, const char *name)
{
	return strtoull(tprof_listing__value(line, name), NULL, 10);
}

#define SOURCE_FORMAT "%-4s %-12s %-32s %-12s %-6s %-5s %s\n"

static void print_source_head(void)
{
	printf(SOURCE_FORMAT, "ID", "SOURCE", "EVENT", "PERIOD", "USERS", "CPUS", "FIRED");
}

static void print_source(const struct tprof_listing *line)
{
	printf(SOURCE_FORMAT, list_value(line, "id"), list_value(line, "source"), list_value(line, "event"),
	       list_value(line, "period"), list_value(line, "users"), list_value(line, "cpus"),
	       list_value(line, "fired"));
}

/* A registered source, and the number of its lines in the list of running sources. */
struct registered {
	struct list *list;
	const char *name;
	size_t nr_running;
};

static int count_running(void *ctx, const struct tprof_listing *line)
{
	struct registered *registered = ctx;

	registered->nr_running += strcmp(tprof_listing__value(line, "source"), registered->name) == 0;
	return 0;
}

static int add_idle(struct list *list, const char *name)
{
	if (list->json)
		return list_append(list, json_pack("{sn so sn si si si}", "id", "source", json_of_text(name), "event",
						   "users", 0, "cpus", 0, "fired", 0));
	printf(SOURCE_FORMAT, "-", name, "-", "-", "0", "0", "0");
	return 0;
}

/* A source that no session uses is listed too, because users need its name. */
static int add_registered(void *ctx, const struct tprof_listing *line)
{
	struct registered registered = { .list = ctx, .name = tprof_listing__value(line, "source") };
	int err = tprof_module__each("sources", count_running, &registered, NULL);

	if (!err && !registered.nr_running)
		err = add_idle(registered.list, registered.name);
	return err;
}

#define FILTER_FORMAT "%-7s %-11s %-12s %-10s %-10s %-10s %-10s %-9s %-7s %-8s %s\n"

static void print_filter_head(void)
{
	printf(FILTER_FORMAT, "SESSION", "FILTER", "STATE", "CALLS", "RUN", "EACH", "LONGEST", "KEPT", "BAD", "PID",
	       "COMMAND");
}

static void print_filter(const struct tprof_listing *line)
{
	uint64_t calls = number(line, "calls"), run_ns = number(line, "run_ns");
	struct units_text run, each, longest;

	printf(FILTER_FORMAT, list_value(line, "session"), list_value(line, "name"), list_value(line, "state"),
	       list_value(line, "calls"), units_duration(&run, run_ns), 
	       units_duration(&each, calls ? run_ns / calls : 0),
	       units_duration(&longest, number(line, "longest_ns")), list_value(line, "kept"), list_value(line, "bad"),
	       list_value(line, "pid"), list_value(line, "comm"));
}

struct module_list {
	struct list *list;
	void (*print_head)(void);
	void (*print)(const struct tprof_listing *line);
};

static int add_line(void *ctx, const struct tprof_listing *line)
{
	struct module_list *module = ctx;
	struct list *list = module->list;

	if (list->json)
		return list_append(list, list_json(line));
	if (!list->nr++)
		module->print_head();
	module->print(line);
	return 0;
}

static int list_all(struct module_list *module, const char *name)
{
	struct tprof_error error = { 0 };
	int err = tprof_module__each(name, add_line, module, &error);

	if (err)
		return out_error_of(&error, err);
	if (!module->list->json && !module->list->nr)
		module->print_head();
	return EXIT_OK;
}

int list_sources(struct list *list)
{
	struct module_list module = { list, print_source_head, print_source };
	struct tprof_error error = { 0 };
	int code = list_all(&module, "sources"), err;

	if (code)
		return code;
	err = tprof_module__each("registered", add_registered, list, &error);
	return err ? out_error_of(&error, err) : EXIT_OK;
}

int list_running_filters(struct list *list)
{
	struct module_list module = { list, print_filter_head, print_filter };

	return list_all(&module, "filters");
}
