// SPDX-License-Identifier: GPL-2.0-only
/*
 * The sessions that are running, of both engines. Those of the perf engine are known by the maps that they have, those
 * of the module by the module; what the maps of the latter tell (ledger and pins) is put beside them.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "json.h"
#include "list.h"
#include "out.h"

/* A filter object of some session, copied. */
struct object {
	pid_t pid;
	uint32_t map_id;
	bool stale, told;
	char comm[64], filter[32], engine[8], pin[256];
};

/* A session of the module. */
struct module_session {
	struct json_object *columns;
	char filters[256];		/* names, separated by commas */
};

struct survey {
	struct object *objects;
	size_t nr_objects;
	struct module_session *sessions;
	size_t nr_sessions;
};

static int add_object(void *ctx, const struct tprof_running *running)
{
	struct survey *survey = ctx;
	struct object *more = realloc(survey->objects, (survey->nr_objects + 1) * sizeof(*more)), *object;

	if (!more)
		return -ENOMEM;
	survey->objects = more;
	object = &more[survey->nr_objects++];
	*object = (struct object){ .pid = running->pid, .map_id = running->map_id, .stale = running->stale };
	snprintf(object->comm, sizeof(object->comm), "%s", running->comm);
	snprintf(object->filter, sizeof(object->filter), "%s", running->filter);
	snprintf(object->engine, sizeof(object->engine), "%s", running->engine);
	snprintf(object->pin, sizeof(object->pin), "%s", running->name ? running->name : "");
	return 0;
}

static int add_session(void *ctx, const struct tprof_listing *line)
{
	struct survey *survey = ctx;
	struct module_session *more = realloc(survey->sessions, (survey->nr_sessions + 1) * sizeof(*more));

	if (!more)
		return -ENOMEM;
	survey->sessions = more;
	more[survey->nr_sessions++] = (struct module_session){ .columns = list_json(line) };
	return 0;
}

static int64_t column(const struct module_session *session, const char *name)
{
	return json_object_get_int64(json_object_object_get(session->columns, name));
}

static const char *column_text(const struct module_session *session, const char *name)
{
	struct json_object *value = json_object_object_get(session->columns, name);

	return value ? json_object_get_string(value) : "-";
}

static int add_filter_name(void *ctx, const struct tprof_listing *line)
{
	int64_t id = strtoll(tprof_listing__value(line, "session"), NULL, 10);
	struct survey *survey = ctx;

	for (size_t i = 0; i < survey->nr_sessions; i++) {
		struct module_session *session = &survey->sessions[i];
		size_t used = strlen(session->filters);

		if (column(session, "id") == id)
			snprintf(session->filters + used, sizeof(session->filters) - used, "%s%s", used ? "," : "",
				 tprof_listing__value(line, "name"));
	}
	return 0;
}

/* The objects of one process can be told apart only if it has no other session. */
static struct object *find_object(struct survey *survey, const struct module_session *session)
{
	int64_t pid = column(session, "pid");
	struct object *found = NULL;

	for (size_t i = 0; i < survey->nr_sessions; i++) {
		if (&survey->sessions[i] != session && column(&survey->sessions[i], "pid") == pid)
			return NULL;
	}
	for (size_t i = 0; i < survey->nr_objects; i++) {
		struct object *object = &survey->objects[i];

		if (object->pid == pid && strcmp(object->engine, "kmod") == 0 && !found)
			found = object;
	}
	return found;
}

/* What the module has told of needs no line of its own. */
static void mark_told(struct survey *survey, int64_t pid)
{
	for (size_t i = 0; i < survey->nr_objects; i++) {
		struct object *object = &survey->objects[i];

		if (object->pid == pid && strcmp(object->engine, "kmod") == 0)
			object->told = true;
	}
}

#define FORMAT "%-8s %-16s %-11s %-7s %-8s %-8s %-10s %-8s %-8s %s\n"

static void print_head(void)
{
	printf(FORMAT, "PID", "COMMAND", "FILTER", "ENGINE", "SESSION", "STATE", "FIRED", "LOST", "LEDGER", "PIN");
}

static const char *or_dash(const char *text)
{
	return text[0] ? text : "-";
}

static void print_line(const struct object *object, const struct module_session *session)
{
	char pid[16] = "-", map[16] = "-", pin[300] = "-";

	if (object && object->map_id)
		snprintf(map, sizeof(map), "%u", object->map_id);
	if (object && object->pin[0])
		snprintf(pin, sizeof(pin), "%s%s", object->pin, object->stale ? " (stale)" : "");
	if (session) {
		printf(FORMAT, column_text(session, "pid"), column_text(session, "comm"), or_dash(session->filters),
		       "kmod",
		       column_text(session, "id"), column_text(session, "state"), column_text(session, "fired"),
		       column_text(session, "lost"), map, pin);
		return;
	}
	if (object->pid >= 0)
		snprintf(pid, sizeof(pid), "%d", object->pid);
	printf(FORMAT, pid, or_dash(object->comm), or_dash(object->filter), or_dash(object->engine), "-", "-", "-", "-",
	       map, pin);
}

static void add_json(struct json_object *array, const struct object *object, const struct module_session *session)
{
	struct json_object *line = json_object_new_object();

	json_set_number(line, "pid", session ? column(session, "pid") : object->pid);
	json_set_text(line, "comm", session ? column_text(session, "comm") : object->comm);
	json_set_text(line, "filter", session ? session->filters : object->filter);
	json_set_text(line, "engine", session ? "kmod" : object->engine);
	json_set_number(line, "map_id", object ? object->map_id : 0);
	json_set_text(line, "pin", object && object->pin[0] ? object->pin : NULL);
	json_set_bool(line, "stale", object && object->stale);
	json_object_object_add(line, "session", session ? json_object_get(session->columns) : NULL);
	json_object_array_add(array, line);
}

static void tell(struct list *list, const struct object *object, const struct module_session *session)
{
	if (list->array) {
		add_json(list->array, object, session);
		return;
	}
	if (!list->nr++)
		print_head();
	print_line(object, session);
}

static void tell_all(struct list *list, struct survey *survey)
{
	for (size_t i = 0; i < survey->nr_sessions; i++) {
		const struct module_session *session = &survey->sessions[i];

		tell(list, find_object(survey, session), session);
		mark_told(survey, column(session, "pid"));
	}
	for (size_t i = 0; i < survey->nr_objects; i++) {
		if (!survey->objects[i].told)
			tell(list, &survey->objects[i], NULL);
	}
	if (!list->array && !list->nr)
		print_head();
}

int list_sessions(struct list *list)
{
	struct survey survey = { 0 };
	struct tprof_error error = { 0 };
	int err = tprof_running__each(add_object, &survey, &error);

	/* A module that is not there has no sessions; one that does not tell leaves those that the maps show. */
	if (!err && tprof_module__each("sessions", add_session, &survey, NULL) == 0)
		tprof_module__each("filters", add_filter_name, &survey, NULL);
	if (!err)
		tell_all(list, &survey);
	for (size_t i = 0; i < survey.nr_sessions; i++)
		json_object_put(survey.sessions[i].columns);
	free(survey.sessions);
	free(survey.objects);
	return err ? out_error_of(&error, err) : EXIT_OK;
}
