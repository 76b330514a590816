// SPDX-License-Identifier: GPL-2.0-only
/* `tprof flame`: draws a saved profile as a flame graph, either an interactive page or a picture. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/opt.h"
#include "base/out.h"
#include "base/progress.h"
#include "base/words.h"
#include "cmd.h"
#include "file/profile_file.h"
#include "flame/flame.h"

/* A web browser on a small machine draws this many without delay. */
#define PAGE_BOXES 40000
#define SVG_BOXES 8000

struct command_line {
	const char *input;	/* -i */
	const char *output;	/* -o */
	const char *title;
	const char *before;	/* --diff */
	bool by_object;		/* --color */
	struct tprof_read_opts read;
};

#define COLOUR_WORDS "kind object"

static int set_colour(void *ctx, const struct opt *opt, const char *value)
{
	int chosen = 0, err = words_choose(opt, value, COLOUR_WORDS, &chosen);

	((struct command_line *)ctx)->by_object = chosen;
	return err;
}

#define AT(member) offsetof(struct command_line, member)

static const struct opt opts[] = {
	{ 'i', "input", "FILE", "the profile (default: " PROFILE_FILE "; -: standard input)", opt_set_text, AT(input) },
	{ 'o', "output", "FILE", "an interactive page (.html), or a picture (.svg)", opt_set_text, AT(output) },
	{ 0, "title", "TEXT", "title (default: event and file name)", opt_set_text, AT(title) },
	{ 0, "color", "WHAT", "color by kind (user, kernel, ...; the default) or object", set_colour, 0 },
	{ 0, "diff", "FILE", "color by the change since that profile (.html only)", opt_set_text, AT(before) },
};

static const struct opt_words words[] = {
	{ "input", "PROFILE" }, { "diff", "PROFILE" }, { "color", COLOUR_WORDS }, { ".", "PROFILE" }, { 0 },
};

struct picture {
	struct flame flames[TPROF_EVENTS_MAX];	/* of each event that is shown */
	char titles[TPROF_EVENTS_MAX][256];
	size_t nr;
	int (*write)(const struct flame *flame, FILE *out);
};

static bool ends_in(const char *text, const char *end)
{
	size_t length = strlen(text), tail = strlen(end);

	return length > tail && !strcmp(text + length - tail, end);
}

static int write_picture(void *ctx, int fd)
{
	const struct picture *picture = ctx;
	int copy = dup(fd), err;
	FILE *out = copy < 0 ? NULL : fdopen(copy, "w");

	if (!out) {
		err = -errno;
		if (copy >= 0)
			close(copy);
		return err;
	}
	errno = 0;
	err = picture->write(&picture->flames[0], out);
	if (!err && ferror(out))
		err = errno ? -errno : -EIO;
	if (fclose(out) && !err)
		err = -errno;
	return err;
}

static int check(struct command_line *line, const struct opt_rest *rest)
{
	int code = profile_file_operand(rest, &line->input);

	if (code)
		return code;
	if (!line->output)
		return out_usage("name the output file: -o profile.html", "--output: the option is missing");
	if (!ends_in(line->output, ".html") && !ends_in(line->output, ".svg"))
		return out_usage("name a page (FILE.html) or a picture (FILE.svg)",
				 "%s: the suffix is neither .html nor .svg", line->output);
	if (line->before && ends_in(line->output, ".svg"))
		return out_usage("name a page: -o FILE.html", "--diff: needs a page as output");
	return EXIT_OK;
}

static void make_title(const struct command_line *line, const struct tprof_profile *profile, char *text, size_t size)
{
	const char *input = line->input ? line->input : PROFILE_FILE, *slash = strrchr(input, '/');

	if (line->title)
		snprintf(text, size, "%s", line->title);
	else if (!strcmp(input, "-"))
		snprintf(text, size, "%s", tprof_profile__info(profile)->event);
	else
		snprintf(text, size, "%s, %s", tprof_profile__info(profile)->event, slash ? slash + 1 : input);
	tprof_text__mend(text);
}

/* Reads the profile to compare with: the same value, or all events, but its whole duration. */
static struct tprof_profile *read_before(const struct command_line *line, int *code)
{
	TPROF_OPTS(tprof_read_opts, read, .value = line->read.value);

	return profile_file_read_part(line->before, &read, code);
}

/* Does the file let its reader choose the event? */
static bool has_choice(const struct command_line *line)
{
	return ends_in(line->output, ".html");
}

static int draw(const struct command_line *line, struct picture *picture, const struct tprof_profile *profile,
		const struct tprof_profile *before)
{
	bool page = ends_in(line->output, ".html");
	struct flame *flame = &picture->flames[picture->nr];
	char *title = picture->titles[picture->nr++];

	*flame = (struct flame){ .profile = profile, .title = title, .by_object = line->by_object };
	make_title(line, profile, title, sizeof(picture->titles[0]));
	return flame_make(flame, before, page ? PAGE_BOXES : SVG_BOXES, page ? FLAME_PAGE_PARTS : FLAME_SVG_PARTS);
}

/* @profiles: of one event each. @before: likewise; NULL: no difference */
static int paint(const struct command_line *line, struct tprof_profile *const *profiles, size_t nr,
		 struct tprof_profile *const *before)
{
	struct picture picture = { .write = ends_in(line->output, ".html") ? flame_page : flame_svg };
	int code, err = 0;

	progress_begin("drawing");
	for (size_t e = 0; e < nr && !err; e++)
		err = draw(line, &picture, profiles[e], before ? before[e] : NULL);
	picture.flames[0].others = &picture.flames[1];
	picture.flames[0].nr_others = nr - 1;
	progress_end();
	if (err) {
		out_error(NULL, "%s: %s", line->output, strerror(-err));
		code = EXIT_FAIL;
	} else {
		code = profile_file_write(line->output, NULL, write_picture, &picture);
	}
	for (size_t e = 0; e < picture.nr; e++)
		flame_fini(&picture.flames[e]);
	return code;
}

static struct tprof_profile *of_event(const struct command_line *line, const struct tprof_profile *profile,
				      size_t event, int *code)
{
	struct tprof_profile *one = tprof_profile__of_event(profile, event);

	if (!one) {
		out_error(NULL, "%s: %s", line->output, strerror(errno));
		*code = EXIT_FAIL;
	}
	return one;
}

/* The event of this name in the profile to compare with. NULL: there is none, which is reported. */
static struct tprof_profile *event_before(const struct command_line *line, const struct tprof_profile *before,
					  const char *name, int *code)
{
	for (size_t e = 0; e < tprof_profile__nr_events(before); e++)
		if (!strcmp(tprof_profile__event(before, e)->event, name))
			return of_event(line, before, e, code);
	*code = out_usage("--value chooses one event; or record both with the same events",
			  "%s: has no event %s to compare with", line->before, name);
	return NULL;
}

/* A page has all events; a picture has the first. */
static int paint_events(const struct command_line *line, const struct tprof_profile *profile,
			const struct tprof_profile *whole_before)
{
	struct tprof_profile *profiles[TPROF_EVENTS_MAX] = { NULL }, *before[TPROF_EVENTS_MAX] = { NULL };
	size_t nr = tprof_profile__nr_events(profile), e;
	int code = EXIT_OK;

	for (e = 0; e < nr && !code; e++) {
		profiles[e] = of_event(line, profile, e, &code);
		if (!code && whole_before)
			before[e] = event_before(line, whole_before, tprof_profile__event(profile, e)->event, &code);
	}
	if (!code)
		code = paint(line, profiles, nr, whole_before ? before : NULL);
	for (e = 0; e < nr; e++) {
		tprof_profile__free(profiles[e]);
		tprof_profile__free(before[e]);
	}
	return code;
}

/* The whole picture, or page, of one event. Frees both profiles. */
static int paint_first(const struct command_line *line, struct tprof_profile *profile, struct tprof_profile *before)
{
	int code = EXIT_OK;

	profile = profile_file_first_event(profile, &code);
	if (profile && before)
		before = profile_file_first_event(before, &code);
	if (profile && before)
		code = profile_pair_check(before, profile);
	if (!code && profile)
		code = paint(line, &profile, 1, before ? &before : NULL);
	tprof_profile__free(before);
	tprof_profile__free(profile);
	return code;
}

int cmd_flame(int argc, char **argv)
{
	struct command_line line = { .read.sz = sizeof(line.read) };
	const struct opt_usage usage = {
		.synopsis = "flame [option ...] -o FILE.html|FILE.svg [PROFILE]",
		.about = "Draw the call stacks of a saved profile as a flame graph: the width of a box is its weight, "
			 "callers are\nabove callees. A page is a single file that needs no network.",
		.words = words,
		.groups = {
			{ "Options", opts, ARRAY_SIZE(opts), &line },
			{ "For a raw recording", profile_part_opts, PROFILE_PART_OPTS, &line.read },
			{ "For a file with several values", profile_value_opts, PROFILE_VALUE_OPTS, &line.read },
		},
	};
	struct tprof_profile *profile, *before = NULL;
	struct opt_rest rest;
	int code = opt_parse(&usage, argc, argv, &rest);

	if (code != OPT_RUN)
		return code;
	code = check(&line, &rest);
	if (code)
		return code;
	profile = profile_file_read_part(line.input, &line.read, &code);
	if (profile && line.before)
		before = read_before(&line, &code);
	if (!code && (tprof_profile__nr_events(profile) == 1 || !has_choice(&line)))
		return paint_first(&line, profile, before);
	if (!code)
		code = paint_events(&line, profile, before);
	tprof_profile__free(before);
	tprof_profile__free(profile);
	return code;
}
