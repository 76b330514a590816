// SPDX-License-Identifier: GPL-2.0-only
/* Parses options by table, and prints the table for --help and for shell completion. */
#include "opt.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exit_code.h"
#include "nearest.h"
#include "out.h"

static const struct opt built_in[] = {
	{ 'h', "help", NULL, "show the options", NULL, 0 },
};

static const struct opt_group built_in_group = { "Help", built_in, ARRAY_SIZE(built_in), NULL };

static const struct opt_group *group_at(const struct opt_usage *usage, size_t index)
{
	size_t nr = 0;

	while (nr < ARRAY_SIZE(usage->groups) && usage->groups[nr].title)
		nr++;
	if (index < nr)
		return &usage->groups[index];
	return index == nr ? &built_in_group : NULL;
}

/* Finds an option by its letter or, if the letter is 0, by its long name. */
static const struct opt *find_opt(const struct opt_usage *usage, char letter, const char *name, size_t length,
				  void **ctx)
{
	const struct opt_group *group;

	for (size_t g = 0; (group = group_at(usage, g)); g++) {
		for (size_t i = 0; i < group->nr; i++) {
			const struct opt *opt = &group->opts[i];

			if (letter ? OPT_LETTER(opt) != letter :
				     strlen(opt->name) != length || strncmp(opt->name, name, length))
				continue;
			*ctx = group->ctx;
			return opt;
		}
	}
	return NULL;
}

static void print_help(const struct opt_usage *usage)
{
	const struct opt_group *group;

	printf("usage: tprof %s\n\n%s\n", usage->synopsis, usage->about);
	for (size_t g = 0; (group = group_at(usage, g)); g++) {
		printf("\n%s:\n", group->title);
		for (size_t i = 0; i < group->nr; i++) {
			const struct opt *opt = &group->opts[i];
			char forms[48], letter[4] = "";

			if (OPT_LETTER(opt))
				snprintf(letter, sizeof(letter), "-%c,", OPT_LETTER(opt));
			snprintf(forms, sizeof(forms), opt->letter & OPT_OPTIONAL ? "%3s --%s[=%s%s]" : "%3s --%s%s%s",
				 letter, opt->name, opt->arg && !(opt->letter & OPT_OPTIONAL) ? " " : "",
				 opt->arg ? opt->arg : "");
			printf("  %-26s %s\n", forms, opt->help);
		}
	}
}

/* The completions for the value of an option. */
static const char *words_of(const struct opt_usage *usage, const char *name, const char *arg)
{
	for (const struct opt_words *words = usage->words; words && words->name; words++)
		if (!strcmp(words->name, name))
			return words->words;
	return arg ? arg : "";
}

/* Prints each form of an option on a line, followed by the completions of its value; "." stands for operands. */
static void print_words(const struct opt_usage *usage)
{
	const struct opt_group *group;

	for (size_t g = 0; (group = group_at(usage, g)); g++) {
		for (size_t i = 0; i < group->nr; i++) {
			const struct opt *opt = &group->opts[i];
			const char *words = words_of(usage, opt->name, opt->arg);

			printf("--%s %s\n", opt->name, opt->letter & OPT_OPTIONAL ? "" : words);
			if (OPT_LETTER(opt))
				printf("-%c %s\n", OPT_LETTER(opt), opt->letter & OPT_BARE ? "" : words);
		}
	}
	printf(". %s\n", words_of(usage, ".", NULL));
}

static int unknown_option(const struct opt_usage *usage, const char *typed)
{
	const char *name = typed + strspn(typed, "-");
	size_t length = strcspn(name, "=");
	const struct opt_group *group;
	struct nearest nearest = { 0 };
	char word[64], hint[128];

	snprintf(word, sizeof(word), "%.*s", (int)length, name);
	for (size_t g = 0; (group = group_at(usage, g)); g++)
		for (size_t i = 0; i < group->nr; i++)
			nearest_offer(&nearest, word, group->opts[i].name);
	if (nearest.word)
		snprintf(hint, sizeof(hint), "did you mean --%s?", nearest.word);
	else
		snprintf(hint, sizeof(hint), "`tprof help %.*s` lists the options",
			 (int)strcspn(usage->synopsis, " "), usage->synopsis);
	return out_usage(hint, "%.*s: no such option", (int)(name - typed + length), typed);
}

int opt_refuse(const struct opt *opt, const char *value, const char *why, const char *hint)
{
	return out_usage(hint, "--%s: '%s' %s", opt->name, value, why);
}

/* The position of the parser in argv. */
struct cursor {
	const struct opt_usage *usage;
	int argc;
	char **argv;
	int at;
};

/* Takes the value from the rest of the same word (@attached), or from the next word. */
static int apply_opt(struct cursor *cursor, const struct opt *opt, void *ctx, const char *attached)
{
	if (opt == &built_in[0]) {
		print_help(cursor->usage);
		return out_finish();
	}
	if (opt->arg && !attached && !(opt->letter & OPT_OPTIONAL)) {
		if (cursor->at + 1 >= cursor->argc)
			return out_usage(opt->help, "--%s: %s is missing", opt->name, opt->arg);
		attached = cursor->argv[++cursor->at];
	}
	return opt->set(ctx, opt, attached) ? EXIT_USAGE : OPT_RUN;
}

static int parse_long(struct cursor *cursor, const char *word)
{
	const char *name = word + 2;
	size_t length = strcspn(name, "=");
	void *ctx;
	const struct opt *opt = find_opt(cursor->usage, 0, name, length, &ctx);

	if (!opt)
		return unknown_option(cursor->usage, word);
	if (name[length] && !opt->arg)
		return out_usage(opt->help, "--%s: takes no value", opt->name);
	return apply_opt(cursor, opt, ctx, name[length] ? name + length + 1 : NULL);
}

/* One word may contain several letters; the first one that takes a value uses the rest of the word. */
static int parse_short(struct cursor *cursor, const char *word)
{
	for (const char *letter = word + 1; *letter; letter++) {
		const struct opt *opt;
		char typed[3] = { '-', *letter, 0 };
		void *ctx;
		int code;

		opt = find_opt(cursor->usage, *letter, NULL, 0, &ctx);
		if (!opt)
			return unknown_option(cursor->usage, typed);
		if (opt->arg && !(opt->letter & OPT_BARE))
			return apply_opt(cursor, opt, ctx, letter[1] ? letter + 1 : NULL);
		if (opt->letter & OPT_BARE)
			code = opt->set(ctx, opt, NULL) ? EXIT_USAGE : OPT_RUN;
		else
			code = apply_opt(cursor, opt, ctx, NULL);
		if (code != OPT_RUN)
			return code;
	}
	return OPT_RUN;
}

int opt_parse(const struct opt_usage *usage, int argc, char **argv, struct opt_rest *rest)
{
	struct cursor cursor = { usage, argc, argv, 1 };

	*rest = (struct opt_rest){ .operands = argv };
	for (; cursor.at < argc; cursor.at++) {
		char *word = argv[cursor.at];
		int code = OPT_RUN;

		if (!strcmp(word, "--complete")) {
			print_words(usage);
			return out_finish();
		}
		if (!strcmp(word, "--")) {
			rest->command = &argv[cursor.at + 1];
			break;
		}
		if (!strncmp(word, "--", 2))
			code = parse_long(&cursor, word);
		else if (word[0] == '-' && word[1])
			code = parse_short(&cursor, word);
		else
			rest->operands[rest->nr_operands++] = word;
		if (code != OPT_RUN)
			return code;
	}
	/* Operands start at argv[0], which is unused, so the terminator fits even if every word is an operand. */
	rest->operands[rest->nr_operands] = NULL;
	if (rest->command && !rest->command[0])
		return out_usage("give a command, such as: -- sleep 10", "--: no command follows");
	return OPT_RUN;
}

static int parse_number(const struct opt *opt, const char *value, uint64_t min, uint64_t max, const char *hint,
			uint64_t *number)
{
	char *end;

	errno = 0;
	*number = strtoull(value, &end, 10);
	if (!isdigit((unsigned char)value[0]) || *end)
		return opt_refuse(opt, value, "is not a whole number", hint);
	if (errno || *number < min || *number > max)
		return opt_refuse(opt, value, "is out of range", hint);
	return 0;
}

int opt_number(const struct opt *opt, const char *value, uint64_t min, uint64_t max, uint64_t *number)
{
	char range[80];

	snprintf(range, sizeof(range), "the range is %llu to %llu", (unsigned long long)min,
		 (unsigned long long)max);
	return parse_number(opt, value, min, max, range, number);
}

int opt_positive(const struct opt *opt, const char *value, uint64_t max, uint64_t *number)
{
	return parse_number(opt, value, 1, max, opt->help, number);
}

int opt_set_flag(void *ctx, const struct opt *opt, const char *value)
{
	(void)value;
	*(bool *)((char *)ctx + opt->at) = true;
	return 0;
}

int opt_set_text(void *ctx, const struct opt *opt, const char *value)
{
	if (!value[0])
		return opt_refuse(opt, value, "is empty", "leave the option out to get the default");
	*(const char **)((char *)ctx + opt->at) = value;
	return 0;
}

int opt_set_count(void *ctx, const struct opt *opt, const char *value)
{
	return opt_number(opt, value, 1, UINT32_MAX, (uint64_t *)((char *)ctx + opt->at));
}

int opt_seconds(const struct opt *opt, const char *value, const char *min, uint64_t *ns)
{
	char range[80], *end;
	double seconds = strtod(value, &end);

	if (end == value || *end || !isfinite(seconds))
		return opt_refuse(opt, value, "is not a number of seconds", "give a number such as 10 or 0.5");
	snprintf(range, sizeof(range), "the range is %s to 1000000000 seconds", min);
	if (seconds < strtod(min, NULL) || seconds > 1e9)
		return opt_refuse(opt, value, "is out of range", range);
	/* Rounded, because most decimal fractions are slightly smaller in binary. */
	*ns = (uint64_t)(seconds * 1e9 + 0.5);
	return 0;
}

int opt_set_seconds(void *ctx, const struct opt *opt, const char *value)
{
	return opt_seconds(opt, value, "0.01", (uint64_t *)((char *)ctx + opt->at));
}
