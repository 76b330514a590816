/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Options of a subcommand. One table drives the parser, the --help text and the shell completion:
 *
 *	static const struct opt opts[] = {
 *		{ 'n', "limit", "ROWS", "show at most this many rows", set_limit },
 *		{ 0, "json", NULL, "write JSON", opt_set_flag, offsetof(struct list, json) },
 *	};
 *	struct list list = { 0 };
 *	const struct opt_usage usage = {
 *		.synopsis = "list [option ...] events|engines",
 *		.about = "Show what this machine has.",
 *		.groups = { { "Options", opts, ARRAY_SIZE(opts), &list } },
 *	};
 *	struct opt_rest rest;
 *	int code = opt_parse(&usage, argc, argv, &rest);
 *
 *	if (code != OPT_RUN)
 *		return code;
 *
 * Options may come before or after operands, up to `--`. -h, --help and the hidden --complete are built in.
 */
#ifndef TPROF_OPT_H
#define TPROF_OPT_H

#include <stddef.h>
#include <stdint.h>

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

/* A constant as text, for help. */
#define OPT_TEXT(constant) OPT_TEXT_OF(constant)
#define OPT_TEXT_OF(value) #value

struct opt;

/* Stores the value (NULL if the option has none). Returns 0, or EXIT_USAGE after reporting the error. */
typedef int (*opt_set_fn)(void *ctx, const struct opt *opt, const char *value);

/* Flag of a letter: the short form takes no value, like -g for --call-graph HOW. The setter then gets NULL. */
#define OPT_BARE 0x100
/* The same for the long form: it has a value only after "=". The setter gets NULL without. */
#define OPT_OPTIONAL 0x200
#define OPT_LETTER(opt) ((char)((opt)->letter & 0xff))

struct opt {
	int letter;		/* short form; 0: none */
	const char *name;	/* long form */
	const char *arg;	/* name of the value, in capitals; NULL: takes no value */
	const char *help;
	opt_set_fn set;
	size_t at;		/* offset in ctx, for the opt_set_*() functions below */
};

struct opt_group {
	const char *title;
	const struct opt *opts;
	size_t nr;
	void *ctx;		/* passed to opt->set */
};

/*
 * The completions that the shell offers for a value, separated by blanks: literal words, and names in capitals that
 * completion.bash expands. Options that are not listed use arg.
 */
struct opt_words {
	const char *name;		/* long form of the option; ".": operands */
	const char *words;
};

struct opt_usage {
	const char *synopsis;		/* without the leading "tprof " */
	const char *about;		/* one or two sentences */
	const struct opt_words *words;	/* ends with an entry without a name; NULL: none */
	struct opt_group groups[4];	/* ends with the first group without a title */
};

/* The rest of the command line after parsing the options; points into argv. */
struct opt_rest {
	char **operands;	/* NULL-terminated */
	int nr_operands;
	char **command;		/* the words after `--`, NULL-terminated; NULL: no `--` */
};

#define OPT_RUN (-1)

/* Returns OPT_RUN, or the exit code with which the subcommand must return at once. Reorders argv. */
int opt_parse(const struct opt_usage *usage, int argc, char **argv, struct opt_rest *rest);

/* Ready-made setters; the comment is the type at opt->at. */
int opt_set_flag(void *ctx, const struct opt *opt, const char *value);		/* bool */
int opt_set_text(void *ctx, const struct opt *opt, const char *value);		/* const char *, not empty */
int opt_set_seconds(void *ctx, const struct opt *opt, const char *value);	/* uint64_t, ns; 10 ms or more */
int opt_set_count(void *ctx, const struct opt *opt, const char *value);		/* uint64_t, > 0 */

/* Prints "tprof: --name: 'value' why" and a hint (NULL: none); returns EXIT_USAGE. */
int opt_refuse(const struct opt *opt, const char *value, const char *why, const char *hint);
/* Parses an integer from min to max. Returns 0, or EXIT_USAGE after reporting the error. */
int opt_number(const struct opt *opt, const char *value, uint64_t min, uint64_t max, uint64_t *number);
/*
 * Parses an integer above 0, for numbers of which the library checks the range. It takes 0 for its default; @max is the
 * largest number of the type that it takes. Returns like opt_number(); the hint is opt->help.
 */
int opt_positive(const struct opt *opt, const char *value, uint64_t max, uint64_t *number);
/* Parses seconds with a resolution of 1 ns, at least @min (in decimal) and at most 1e9. Returns like opt_number(). */
int opt_seconds(const struct opt *opt, const char *value, const char *min, uint64_t *ns);

#endif
