// SPDX-License-Identifier: GPL-2.0-only
/* `tprof export`: a profile that was kept, in the format of another program. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "nearest.h"
#include "opt.h"
#include "out.h"
#include "profile_file.h"

struct export {
	const char *input;	/* -i */
	const char *output;	/* -o */
	const struct tprof_format *format;
	uint64_t limit;
	const struct tprof_profile *profile;
};

#define AT(member) offsetof(struct export, member)

struct formats {
	const char *wanted;			/* NULL: none in particular */
	const struct tprof_format *found;
	struct nearest nearest;
	char names[256];			/* "text, json, ..." */
};

static int look_at_format(void *ctx, const struct tprof_format *format)
{
	struct formats *formats = ctx;
	size_t length = strlen(formats->names);

	snprintf(formats->names + length, sizeof(formats->names) - length, "%s%s", length ? ", " : "", format->name);
	if (!formats->wanted)
		return 0;
	if (!strcmp(format->name, formats->wanted))
		formats->found = format;
	nearest_offer(&formats->nearest, formats->wanted, format->name);
	return 0;
}

static int set_format(void *ctx, const struct opt *opt, const char *value)
{
	struct formats formats = { .wanted = value };
	char hint[256];

	tprof_format__each(look_at_format, &formats);
	((struct export *)ctx)->format = formats.found;
	if (formats.found)
		return 0;
	snprintf(hint, sizeof(hint), formats.nearest.word ? "did you mean %s?" : "%s",
		 formats.nearest.word ? formats.nearest.word : formats.names);
	return opt_refuse(opt, value, "is no format", hint);
}

static const struct opt opts[] = {
	{ 'i', "input", "FILE", "the profile (default: " PROFILE_FILE "; -: standard input)", opt_set_text, AT(input) },
	{ 'f', "format", "FORMAT", "what to write it as", set_format, 0 },
	{ 'o', "output", "FILE", "where to (default: standard output)", opt_set_text, AT(output) },
	{ 'n', "limit", "ROWS", "at most so many functions, where the format has functions", opt_set_count, AT(limit) },
};

static int write_profile(void *ctx, int fd)
{
	const struct export *export = ctx;
	TPROF_OPTS(tprof_export_opts, how, .limit = export->limit);

	return tprof_profile__export(export->profile, export->format->name, fd, &how);
}

static int check(const struct export *export, const struct opt_rest *rest)
{
	struct formats formats = { 0 };

	if (rest->nr_operands)
		return out_usage("-i FILE says which profile to read", "%s: not an option", rest->operands[0]);
	tprof_format__each(look_at_format, &formats);
	if (!export->format)
		return out_usage(formats.names, "--format: it is missing");
	if (export->format->binary && (!export->output || !strcmp(export->output, "-")) && isatty(STDOUT_FILENO))
		return out_usage("-o FILE", "%s: not for a terminal", export->format->name);
	return EXIT_OK;
}

int cmd_export(int argc, char **argv)
{
	struct export export = { 0 };
	struct formats formats = { 0 };
	char about[400];
	const struct opt_usage usage = {
		.synopsis = "export [option ...] --format FORMAT",
		.about = about,
		.groups = { { "Options", opts, ARRAY_SIZE(opts), &export } },
	};
	struct tprof_profile *profile;
	struct opt_rest rest;
	int code;

	tprof_format__each(look_at_format, &formats);
	snprintf(about, sizeof(about), "Write a profile that was kept as %s.", formats.names);
	code = opt_parse(&usage, argc, argv, &rest);
	if (code != OPT_RUN)
		return code;
	code = check(&export, &rest);
	if (code)
		return code;
	profile = profile_file_read(export.input, &code);
	if (!profile)
		return code;
	export.profile = profile;
	code = profile_file_write(export.output, write_profile, &export);
	tprof_profile__free(profile);
	return code;
}
