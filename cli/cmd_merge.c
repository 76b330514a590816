// SPDX-License-Identifier: GPL-2.0-only
/* `tprof merge`: several profiles that were kept become one, and so do their ledgers. */
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
	const char *format_name;	/* -f; NULL: by the name of the file */
	struct tprof_format format;
	struct tprof_profile *whole;
};

#define AT(member) offsetof(struct merge, member)

static const struct opt opts[] = {
	{ 'o', "output", "FILE", "where to (default: standard output)", opt_set_text, AT(output) },
	{ 'f', "format", "FORMAT", "what to write (default: by the name of the file, or pprof)", opt_set_text,
	  AT(format_name) },
};

static const struct opt_words words[] = { { ".", "PROFILE" }, { 0 } };

/* As the library reads what has no ledger of its own. */
static bool is_foreign(const struct tprof_profile *profile)
{
	return !strcmp(tprof_profile__info(profile)->engine, "unknown");
}

/* 0, or the exit code after having said why they do not go together. An empty one has call stacks or not. */
static int check_pair(const struct tprof_profile *whole, const struct tprof_profile *next, const char *name)
{
	const struct tprof_info *a = tprof_profile__info(whole), *b = tprof_profile__info(next);
	bool call_stacks[] = { tprof_profile__nr_call_stacks(whole) != 0, tprof_profile__nr_call_stacks(next) != 0 };

	if (strcmp(a->event, b->event) != 0)
		return out_usage("record all with the same event", "%s: of %s, and those before it of %s", name,
				 b->event, a->event);
	if (strcmp(a->unit, b->unit) != 0)
		return out_usage("record all with the same event", "%s: in %s, and those before it in %s", name,
				 b->unit, a->unit);
	if (is_foreign(whole) != is_foreign(next))
		return out_usage("merge those with a ledger and those without apart", "%s: has %s ledger, %s", name,
				 is_foreign(next) ? "no" : "a",
				 is_foreign(next) ? "and those before it have" : "and those before it have none");
	if (call_stacks[0] != call_stacks[1] && tprof_profile__nr_entries(whole) && tprof_profile__nr_entries(next))
		return out_usage("record all with the same --call-graph", "%s: has %s, unlike those before it", name,
				 call_stacks[1] ? "call stacks" : "no call stacks");
	return EXIT_OK;
}

static int add(struct merge *merge, struct tprof_profile *next, const char *name)
{
	int code = check_pair(merge->whole, next, name), err;

	if (code)
		return code;
	err = tprof_profile__merge(merge->whole, next);
	if (!err)
		return EXIT_OK;
	out_error(err == -ERANGE ? "merge fewer of them" : NULL, "%s: %s", name,
		  err == -ERANGE ? "the sums become more than a number can hold" : strerror(-err));
	return EXIT_FAIL;
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
		.about = "Add up profiles that were kept, call stack by call stack, and their ledgers.",
		.words = words,
		.groups = { { "Options", opts, ARRAY_SIZE(opts), &merge } },
	};
	struct opt_rest rest;
	int code = opt_parse(&usage, argc, argv, &rest);

	if (code != OPT_RUN)
		return code;
	if (rest.nr_operands < 2)
		return out_usage("tprof merge a.pb.gz b.pb.gz -o both.pb.gz", "merge: it takes two profiles at least");
	code = format_choose(merge.format_name, merge.output ? merge.output : "", "pprof", &merge.format);
	if (!code)
		code = read_all(&merge, rest.operands);
	if (!code)
		code = profile_file_write(merge.output, merge.format.binary ? merge.format.name : NULL, write_profile,
					  &merge);
	tprof_profile__free(merge.whole);
	return code;
}
