// SPDX-License-Identifier: GPL-2.0-only
/* `tprof merge`: adds up saved profiles and their ledgers. */
#include <errno.h>
#include <string.h>

#include "base/opt.h"
#include "base/out.h"
#include "base/progress.h"
#include "cmd.h"
#include "file/format.h"
#include "file/profile_file.h"

struct merge {
	const char *output;		/* -o */
	const char *format_name;	/* -f; NULL: chosen by the file name */
	struct tprof_format format;
	struct tprof_profile *whole;
};

#define AT(member) offsetof(struct merge, member)

static const struct opt opts[] = {
	{ 'o', "output", "FILE", "file to write (default: standard output)", opt_set_text, AT(output) },
	{ 'f', "format", "FORMAT", "format to write (default: by the file name, or pprof)", opt_set_text,
	  AT(format_name) },
};

static const struct opt_words words[] = { { ".", "PROFILE" }, { 0 } };

/* The library sets this engine name for a file without a ledger. */
static bool is_foreign(const struct tprof_profile *profile)
{
	return !strcmp(tprof_profile__info(profile)->engine, "unknown");
}

/*
 * 0, or the exit code after reporting why they should not be merged, although the library would do it. An empty profile
 * can be merged with profiles with or without call stacks.
 */
static int check_pair(const struct tprof_profile *whole, const struct tprof_profile *next, const char *name)
{
	bool call_stacks[] = { tprof_profile__nr_call_stacks(whole) != 0, tprof_profile__nr_call_stacks(next) != 0 };

	if (is_foreign(whole) != is_foreign(next))
		return out_usage("merge profiles with and without a ledger separately",
				 "%s: has %s ledger, but the profiles before it have %s", name,
				 is_foreign(next) ? "no" : "a", is_foreign(next) ? "one" : "none");
	if (call_stacks[0] != call_stacks[1] && tprof_profile__nr_entries(whole) && tprof_profile__nr_entries(next))
		return out_usage("record all with the same --call-graph", "%s: has %s, unlike the profiles before it",
				 name, call_stacks[1] ? "call stacks" : "no call stacks");
	return EXIT_OK;
}

/* Explains an error of tprof_profile__merge(), which returns no message. Returns the exit code. */
static int explain(const struct tprof_profile *whole, const struct tprof_profile *next, const char *name, int err)
{
	const struct tprof_info *a = tprof_profile__info(whole), *b = tprof_profile__info(next);

	if (err == -EINVAL && strcmp(a->event, b->event) != 0)
		return out_usage("record all with the same event",
				 "%s: its event is %s, but that of the profiles before it is %s", name, b->event,
				 a->event);
	if (err == -EINVAL)
		return out_usage("record all with the same event",
				 "%s: its unit is %s, but that of the profiles before it is %s", name, b->unit,
				 a->unit);
	out_error(err == -ERANGE ? "merge fewer profiles" : NULL, "%s: %s", name,
		  err == -ERANGE ? "the sums overflow a 64-bit number" : strerror(-err));
	return EXIT_FAIL;
}

static int add(struct merge *merge, struct tprof_profile *next, const char *name)
{
	int code = check_pair(merge->whole, next, name), err;

	if (code)
		return code;
	err = tprof_profile__merge(merge->whole, next);
	return err ? explain(merge->whole, next, name, err) : EXIT_OK;
}

static int read_all(struct merge *merge, char **names)
{
	int code = EXIT_OK;

	for (size_t i = 0; names[i] && !code; i++) {
		struct tprof_profile *next = profile_file_read(names[i], &code);

		if (!next)
			return code;
		if (!merge->whole) {
			merge->whole = next;
			continue;
		}
		progress_begin("adding %s", names[i]);
		code = add(merge, next, names[i]);
		progress_end();
		tprof_profile__free(next);
	}
	return code;
}

static int write_profile(void *ctx, int fd)
{
	const struct merge *merge = ctx;

	return tprof_profile__export(merge->whole, merge->format.name, fd, NULL);
}

int cmd_merge(int argc, char **argv)
{
	struct merge merge = { 0 };
	const struct opt_usage usage = {
		.synopsis = "merge [option ...] [-o FILE] PROFILE PROFILE ...",
		.about = "Add up saved profiles, call stack by call stack, and their ledgers.",
		.words = words,
		.groups = { { "Options", opts, ARRAY_SIZE(opts), &merge } },
	};
	struct opt_rest rest;
	int code = opt_parse(&usage, argc, argv, &rest);

	if (code != OPT_RUN)
		return code;
	if (rest.nr_operands < 2)
		return out_usage("for example: tprof merge a.pb.gz b.pb.gz -o both.pb.gz",
				 "merge: takes at least two profiles");
	code = format_choose(merge.format_name, merge.output ? merge.output : "", "pprof", &merge.format);
	if (!code)
		code = read_all(&merge, rest.operands);
	if (!code && strcmp(merge.format.name, "pprof") != 0)
		merge.whole = profile_file_first_event(merge.whole, &code);
	if (!code)
		code = profile_file_write(merge.output, merge.format.binary ? merge.format.name : NULL, write_profile,
					  &merge);
	tprof_profile__free(merge.whole);
	return code;
}
