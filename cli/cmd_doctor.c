// SPDX-License-Identifier: GPL-2.0-only
/* `tprof doctor`: what this machine supports, what is missing, and how to fix it. */
#include <errno.h>
#include <stdio.h>

#include "base/json.h"
#include "base/opt.h"
#include "base/out.h"
#include "cmd.h"
#include "tprof.h"

struct doctor {
	bool json;
	json_t *probes, *engines;
	bool can_run;
};

/* A failed probe is "missing" if sampling needs it, "absent" if sampling works without it. */
static const char *state_of(const struct tprof_probe *probe)
{
	if (probe->ok)
		return "ok";
	return probe->required ? "missing" : "absent";
}

static int tell_probe(void *ctx, const struct tprof_probe *probe)
{
	struct doctor *doctor = ctx;

	if (doctor->json) {
		doctor->probes = json_and(doctor->probes, json_pack("{so sb sb so so}",
			"name", json_of_text(probe->name), "required", probe->required, "ok", probe->ok,
			"text", json_of_text(probe->text), "mend", json_of_text(probe->mend[0] ? probe->mend : NULL)));
		return 0;
	}
	printf("%-8s %-20s %s\n", state_of(probe), probe->name, probe->text);
	if (probe->mend[0])
		printf("%-8s %-20s fix: %s\n", "", "", probe->mend);
	return 0;
}

static int tell_engine(void *ctx, const char *name, int usable, const struct tprof_error *why)
{
	struct doctor *doctor = ctx;

	doctor->can_run |= !usable;
	if (doctor->json)
		doctor->engines = json_and(doctor->engines, json_pack("{ss sb so}", "name", name, "usable", !usable,
			"why", json_of_text(usable ? why->text : NULL)));
	else
		printf("engine %s %s%s\n", name, usable ? "cannot run here: " : "can run here",
		       usable ? why->text : "");
	return 0;
}

/* Runs all probes and engines. Returns 0 or the exit code. */
static int examine(struct doctor *doctor)
{
	if (doctor->json) {
		doctor->probes = json_array();
		doctor->engines = json_array();
	}
	tprof_probe__each(tell_probe, doctor);
	if (!doctor->json)
		putchar('\n');
	tprof_engine__each(tell_engine, doctor);
	if (!doctor->json)
		return EXIT_OK;
	return out_written(json_print(json_pack("{ss sb so so}", "version", tprof_version(), "can_run", doctor->can_run,
						"engines", doctor->engines, "probes", doctor->probes)));
}

int cmd_doctor(int argc, char **argv)
{
	struct doctor doctor = { 0 };
	const struct opt opts[] = {
		{ 'j', "json", NULL, "write JSON", opt_set_flag, offsetof(struct doctor, json) },
	};
	const struct opt_usage usage = {
		.synopsis = "doctor [option ...]",
		.about = "Check what this machine supports, what is missing, and how to fix it.",
		.groups = { { "Options", opts, ARRAY_SIZE(opts), &doctor } },
	};
	struct opt_rest rest;
	int code = opt_parse(&usage, argc, argv, &rest);

	if (code != OPT_RUN)
		return code;
	if (rest.nr_operands)
		return out_usage(NULL, "doctor: takes no operand");
	code = examine(&doctor);
	if (!code)
		code = out_finish();
	if (code)
		return code;
	return doctor.can_run ? EXIT_OK : EXIT_CANNOT;
}
