// SPDX-License-Identifier: GPL-2.0-only
/* `tprof export`: converts a saved profile to another format. */
#include <string.h>

#include "base/ledger.h"
#include "base/opt.h"
#include "base/out.h"
#include "cmd.h"
#include "file/format.h"
#include "file/profile_file.h"

struct export {
	const char *input;		/* -i */
	const char *output;		/* -o */
	const char *format_name;	/* -f; NULL: chosen by the file name */
	struct tprof_format format;
	uint64_t limit;
	struct tprof_read_opts read;
	const struct tprof_profile *profile;
};

#define AT(member) offsetof(struct export, member)

static const struct opt opts[] = {
	{ 'i', "input", "FILE", "the profile (default: " PROFILE_FILE "; -: standard input)", opt_set_text, AT(input) },
	{ 'f', "format", "FORMAT", "format to write (default: by the file name)",
	  opt_set_text, AT(format_name) },
	{ 'o', "output", "FILE", "file to write (default: standard output)", opt_set_text, AT(output) },
	{ 'n', "limit", "ROWS", "write at most this many functions (text and json)", opt_set_count, AT(limit) },
};

static const struct opt_words words[] = { { "input", "PROFILE" }, { ".", "PROFILE" }, { 0 } };

static int write_profile(void *ctx, int fd)
{
	const struct export *export = ctx;
	TPROF_OPTS(tprof_export_opts, how, .limit = export->limit);

	return tprof_profile__export(export->profile, export->format.name, fd, &how);
}

static int check(struct export *export, const struct opt_rest *rest)
{
	int code = profile_file_operand(rest, &export->input);

	if (code)
		return code;
	return format_choose(export->format_name, export->output ? export->output : "", NULL, &export->format);
}

int cmd_export(int argc, char **argv)
{
	struct export export = { .read.sz = sizeof(export.read) };
	const struct opt_usage usage = {
		.synopsis = "export [option ...] [-f FORMAT] [-o FILE] [PROFILE]",
		.about = "Convert a saved profile to another format; `tprof list formats` lists the formats.",
		.words = words,
		.groups = {
			{ "Options", opts, ARRAY_SIZE(opts), &export },
			{ "For a raw recording", profile_part_opts, PROFILE_PART_OPTS, &export.read },
			{ "For a file with several values", profile_value_opts, PROFILE_VALUE_OPTS, &export.read },
		},
	};
	struct tprof_profile *profile;
	struct opt_rest rest;
	int code;

	code = opt_parse(&usage, argc, argv, &rest);
	if (code != OPT_RUN)
		return code;
	code = check(&export, &rest);
	if (code)
		return code;
	profile = profile_file_read_part(export.input, &export.read, &code);
	if (strcmp(export.format.name, "pprof") != 0)
		profile = profile_file_first_event(profile, &code);
	if (!profile)
		return code;
	export.profile = profile;
	code = profile_file_write(export.output, export.format.binary ? export.format.name : NULL, write_profile,
				  &export);
	/* Most formats cannot hold the loss. */
	if (!code)
		ledger_warn(tprof_profile__ledger(profile), export.input);
	tprof_profile__free(profile);
	return code;
}
