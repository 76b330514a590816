// SPDX-License-Identifier: GPL-2.0-only
/*
 * The running sessions of both engines. Sessions of the perf engine are found by their BPF maps. Sessions of the module
 * are listed by the module, and completed with data of their maps (ledger and pins).
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/exit_code.h"
#include "base/grow.h"
#include "base/json.h"
#include "base/out.h"
#include "list.h"

/* The filter object of a session, copied. */
struct object {
	pid_t pid;
	uint32_t map_id;
	bool stale, told;
	char comm[64], filter[32], engine[8], pin[256];
};

/* A session of the module. */
struct module_session {
	json_t *columns;
	int64_t id, pid;
	char comm[64], state[24], fired[24], lost[24];
	int64_t filter_ns, memory;
	double cpu_percent;		/* time of the filters while they were watched, of one CPU; -1: unknown */
	char filters[256];		/* names, separated by commas */
};

struct survey {
	struct object *objects;
	size_t nr_objects, objects_capacity;
	int64_t watched_ns;		/* since when the filters are watched */
	struct module_session *sessions;
	size_t nr_sessions, sessions_capacity;
};

static int add_object(void *ctx, const struct tprof_running *running)
{
	struct survey *survey = ctx;
	struct object *object, *more = grow_array(survey->objects, survey->nr_objects, &survey->objects_capacity,
						  sizeof(*more));

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

static int64_t number(const struct tprof_listing *line, const char *name)
{
	return strtoll(tprof_listing__value(line, name), NULL, 10);
}

static int add_session(void *ctx, const struct tprof_listing *line)
{
	struct survey *survey = ctx;
	struct module_session *session, *more = grow_array(survey->sessions, survey->nr_sessions,
							   &survey->sessions_capacity, sizeof(*more));

	if (!more)
		return -ENOMEM;
	survey->sessions = more;
	session = &more[survey->nr_sessions++];
	*session = (struct module_session){
		.columns = list_json(line), .id = number(line, "id"), .pid = number(line, "pid"),
	};
	snprintf(session->comm, sizeof(session->comm), "%s", list_value(line, "comm"));
	snprintf(session->state, sizeof(session->state), "%s", list_value(line, "state"));
	snprintf(session->fired, sizeof(session->fired), "%s", list_value(line, "fired"));
	snprintf(session->lost, sizeof(session->lost), "%s", list_value(line, "lost"));
	session->filter_ns = tprof_listing__value(line, "filter_ns")[0] ? number(line, "filter_ns") : -1;
	session->memory = number(line, "memory");
	session->cpu_percent = -1;
	return session->columns ? 0 : -ENOMEM;
}

/* How long the filters are watched. */
#define WATCH_NS 250000000

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* The second reading of a session: the run time of its filters since the first is its share of a CPU. */
static int add_time(void *ctx, const struct tprof_listing *line)
{
	struct survey *survey = ctx;
	double elapsed = (double)(now_ns() - survey->watched_ns);

	for (size_t i = 0; i < survey->nr_sessions; i++) {
		struct module_session *session = &survey->sessions[i];

		if (session->id == number(line, "id"))
			session->cpu_percent = 100.0 / elapsed *
					       (double)(number(line, "filter_ns") - session->filter_ns);
	}
	return 0;
}

/* Measures what the filters of all sessions take of a CPU. A module of an earlier version does not say. */
static void watch(struct survey *survey)
{
	if (!survey->nr_sessions || survey->sessions[0].filter_ns < 0)
		return;
	survey->watched_ns = now_ns();
	usleep(WATCH_NS / 1000);
	tprof_module__each("sessions", add_time, survey, NULL);
}

static int add_filter_name(void *ctx, const struct tprof_listing *line)
{
	int64_t id = number(line, "session");
	struct survey *survey = ctx;

	for (size_t i = 0; i < survey->nr_sessions; i++) {
		struct module_session *session = &survey->sessions[i];
		size_t used = strlen(session->filters);

		if (session->id == id)
			snprintf(session->filters + used, sizeof(session->filters) - used, "%s%s", used ? "," : "",
				 tprof_listing__value(line, "name"));
	}
	return 0;
}

/* Finds the object of a module session. It is ambiguous, and so NULL, if the process has several sessions. */
static struct object *find_object(struct survey *survey, const struct module_session *session)
{
	struct object *found = NULL;

	for (size_t i = 0; i < survey->nr_sessions; i++) {
		if (&survey->sessions[i] != session && survey->sessions[i].pid == session->pid)
			return NULL;
	}
	for (size_t i = 0; i < survey->nr_objects; i++) {
		struct object *object = &survey->objects[i];

		if (object->pid == session->pid && strcmp(object->engine, "kmod") == 0 && !found)
			found = object;
	}
	return found;
}

/* Marks the objects of sessions that the module has listed, so that they get no line of their own. */
static void mark_told(struct survey *survey, int64_t pid)
{
	for (size_t i = 0; i < survey->nr_objects; i++) {
		struct object *object = &survey->objects[i];

		if (object->pid == pid && strcmp(object->engine, "kmod") == 0)
			object->told = true;
	}
}

#define FORMAT "%-8s %-16s %-11s %-7s %-8s %-8s %-10s %-8s %-7s %-9s %-8s %s\n"

static void print_head(void)
{
	printf(FORMAT, "PID", "COMMAND", "FILTER", "ENGINE", "SESSION", "STATE", "FIRED", "LOST", "CPU", "MEMORY",
	       "LEDGER", "PIN");
}

static const char *or_dash(const char *text)
{
	return text[0] ? text : "-";
}

static void print_line(const struct object *object, const struct module_session *session)
{
	char pid[24] = "-", id[24], map[16] = "-", pin[300] = "-", cpu[16] = "-", memory[32] = "-";

	if (object && object->map_id)
		snprintf(map, sizeof(map), "%u", object->map_id);
	if (object && object->pin[0])
		snprintf(pin, sizeof(pin), "%s%s", object->pin, object->stale ? " (stale)" : "");
	if (session) {
		snprintf(pid, sizeof(pid), "%" PRIi64, session->pid);
		snprintf(id, sizeof(id), "%" PRIi64, session->id);
		if (session->cpu_percent >= 0)
			snprintf(cpu, sizeof(cpu), "%.2f%%", session->cpu_percent);
		if (session->memory)
			snprintf(memory, sizeof(memory), "%" PRIi64 "K", (session->memory + 1023) / 1024);
		printf(FORMAT, pid, session->comm, or_dash(session->filters), "kmod", id, session->state,
		       session->fired, session->lost, cpu, memory, map, pin);
		return;
	}
	if (object->pid >= 0)
		snprintf(pid, sizeof(pid), "%d", object->pid);
	printf(FORMAT, pid, or_dash(object->comm), or_dash(object->filter), or_dash(object->engine), "-", "-", "-", "-",
	       "-", "-", map, pin);
}

/* The columns of the module, and the measured share. */
static json_t *session_object(const struct module_session *session)
{
	if (session && session->cpu_percent >= 0)
		json_object_set_new(session->columns, "cpu_percent", json_real(session->cpu_percent));
	return session ? session->columns : NULL;
}

static json_t *line_object(const struct object *object, const struct module_session *session)
{
	return json_pack("{sI so so so si so sb sO?}", "pid", (json_int_t)(session ? session->pid : object->pid),
			 "comm", json_of_text(session ? session->comm : object->comm),
			 "filter", json_of_text(session ? session->filters : object->filter),
			 "engine", json_of_text(session ? "kmod" : object->engine),
			 "map_id", object ? (int)object->map_id : 0,
			 "pin", json_of_text(object && object->pin[0] ? object->pin : NULL),
			 "stale", object && object->stale, "session", session_object(session));
}

static void tell(struct list *list, const struct object *object, const struct module_session *session)
{
	if (list->json) {
		list_append(list, line_object(object, session));
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
		mark_told(survey, session->pid);
	}
	for (size_t i = 0; i < survey->nr_objects; i++) {
		if (!survey->objects[i].told)
			tell(list, &survey->objects[i], NULL);
	}
	if (!list->json && !list->nr)
		print_head();
}

int list_sessions(struct list *list)
{
	struct survey survey = { 0 };
	struct tprof_error error = { 0 };
	int err = tprof_running__each(add_object, &survey, &error), module_err;

	/* Without the module, or if its list cannot be read, only the sessions found by their maps are listed. */
	module_err = err ? err : tprof_module__each("sessions", add_session, &survey, NULL);
	if (!module_err)
		tprof_module__each("filters", add_filter_name, &survey, NULL);
	if (!module_err)
		watch(&survey);
	if (module_err == -ENOMEM)
		err = module_err;
	if (!err)
		tell_all(list, &survey);
	for (size_t i = 0; i < survey.nr_sessions; i++)
		json_decref(survey.sessions[i].columns);
	free(survey.sessions);
	free(survey.objects);
	return err ? out_error_of(&error, err) : EXIT_OK;
}
