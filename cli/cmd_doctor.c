// SPDX-License-Identifier: GPL-2.0-only
/* `tprof doctor`: what this machine can do, what is missing, and what mends it. */
#include <errno.h>
#include <stdio.h>

#include "cmd.h"
#include "json.h"
#include "opt.h"
#include "out.h"
#include "tprof.h"

struct doctor {
	struct json_object *probes;	/* NULL: text */
	struct json_object *engines;
	bool can_run;
};

/* Said of what is missing: needed for anything at all, or only for more. */
static const char *state_of(const struct tprof_probe *probe)
{
	if (probe->ok)
		return "ok";
	return probe->required ? "missing" : "absent";
}

static int tell_probe(void *ctx, const struct tprof_probe *probe)
{
	struct doctor *doctor = ctx;
	struct json_object *object;

	if (!doctor->probes) {
		printf("%-8s %-20s %s\n", state_of(probe), probe->name, probe->text);
		if (probe->mend[0])
			printf("%-8s %-20s mend: %s\n", "", "", probe->mend);
		return 0;
	}
	object = json_object_new_object();
	json_set_text(object, "name", probe->name);
	json_set_bool(object, "required", probe->required);
	json_set_bool(object, "ok", probe->ok);
	json_set_text(object, "text", probe->text);
	json_set_text(object, "mend", probe->mend[0] ? probe->mend : NULL);
	return json_object_array_add(doctor->probes, object);
}

static int tell_engine(void *ctx, const char *name, int usable, const struct tprof_error *why)
{
	struct doctor *doctor = ctx;
	struct json_object *object;

	doctor->can_run |= !usable;
	if (!doctor->probes) {
		printf("engine %s %s%s\n", name, usable ? "cannot run here: " : "can run here",
		       usable ? why->text : "");
		return 0;
	}
	object = json_object_new_object();
	json_set_text(object, "name", name);
	json_set_bool(object, "usable", !usable);
	json_set_text(object, "why", usable ? why->text : NULL);
	return json_object_array_add(doctor->engines, object);
}

static void examine(struct doctor *doctor, bool json)
{
	struct json_object *object;

	if (json) {
		doctor->probes = json_object_new_array();
		doctor->engines = json_object_new_array();
	}
	tprof_probe__each(tell_probe, doctor);
	if (!json)
		putchar('\n');
	tprof_engine__each(tell_engine, doctor);
	if (!json)
		return;
	object = json_object_new_object();
	json_set_text(object, "version", tprof_version());
	json_set_bool(object, "can_run", doctor->can_run);
	json_object_object_add(object, "engines", doctor->engines);
	json_object_object_add(object, "probes", doctor->probes);
	json_print(object);
}

int cmd_doctor(int argc, char **argv)
{
	struct doctor doctor = { 0 };
	bool json = false;
	const struct opt opts[] = {
		{ 'j', "json", NULL, "write JSON", opt_set_flag, 0 },
	};
	const struct opt_usage usage = {
		.synopsis = "doctor [option ...]",
		.about = "Find out what this machine can do, what is missing, and what mends it.",
		.groups = { { "Options", opts, ARRAY_SIZE(opts), &json } },
	};
	struct opt_rest rest;
	int code = opt_parse(&usage, argc, argv, &rest);

	if (code != OPT_RUN)
		return code;
	if (rest.nr_operands)
		return out_usage(NULL, "doctor: takes no operand");
	examine(&doctor, json);
	code = out_finish();
	if (code)
		return code;
	return doctor.can_run ? EXIT_OK : EXIT_CANNOT;
}
