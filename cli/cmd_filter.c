// SPDX-License-Identifier: GPL-2.0-only
/* `tprof filter`: has the kernel check a filter, describes a filter, or lists all. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/opt.h"
#include "base/out.h"
#include "cmd.h"
#include "list/filter_about.h"

static const char *const engines[] = { "perf", "kmod" };

/* The result of checking the filter for one engine. */
struct verdict {
	int err;
	struct tprof_check check;
	const struct tprof_filter *filter;	/* owns the strings */
};

/* The engine is not available, so its error is not a verdict on the filter. */
static bool could_not_ask(int err)
{
	return err == -EPERM || err == -EOPNOTSUPP || err == -ENOSYS;
}

static const char *verdict_name(int err)
{
	if (!err)
		return "accepted";
	return could_not_ask(err) ? "not checked" : "refused";
}

static void print_indented(const char *text)
{
	size_t len;

	for (; *text; text += len + (text[len] == '\n')) {
		len = strcspn(text, "\n");
		printf("    %.*s\n", (int)len, text);
	}
}

/* Prints words wrapped at 100 columns. */
static void print_wrapped(const char *label, const char *words)
{
	size_t len, column = (size_t)printf("    %s", label);

	for (; *words; words += len + (words[len] == ' ')) {
		len = strcspn(words, " ");
		if (column + 1 + len > 100)
			column = (size_t)printf("\n    %*s", (int)strlen(label), "") - 1;
		column += (size_t)printf(" %.*s", (int)len, words);
	}
	putchar('\n');
}

static const char *skip_prefix(const char *text, const char *prefix)
{
	size_t len = strlen(prefix);

	return strncmp(text, prefix, len) ? text : text + len;
}

/* The library's error message without the prefix that is printed already. */
static const char *reason(const struct tprof_filter *filter)
{
	const char *text = tprof_filter__error(filter);
	char prefix[64];

	snprintf(prefix, sizeof(prefix), "filter %s: ", tprof_filter__name(filter));
	return skip_prefix(skip_prefix(text, prefix), "the kernel's verifier refused it: ");
}

static void print_verdict(const char *engine, const struct verdict *verdict)
{
	const struct tprof_check *check = &verdict->check;
	const char *hint = tprof_filter__hint(verdict->filter);

	printf("  engine %s: %s", engine, verdict_name(verdict->err));
	if (verdict->err)
		printf(": %s", reason(verdict->filter));
	else
		printf(", %u instructions verified", check->verified);
	putchar('\n');
	if (check->program)
		printf("    program %s, %u instructions\n", check->program, check->instructions);
	if (check->helpers && check->helpers[0])
		print_wrapped("calls", check->helpers);
	if (check->log)
		print_indented(check->log);
	if (could_not_ask(verdict->err) && hint[0])
		printf("    hint: %s\n", hint);
}

static json_t *verdict_json(const char *engine, const struct verdict *verdict)
{
	return json_pack("{ss ss so so so so so so}", "engine", engine, "verdict", verdict_name(verdict->err),
			 "why", json_of_text(verdict->err ? reason(verdict->filter) : NULL),
			 "program", json_of_text(verdict->check.program),
			 "instructions", json_of_count(verdict->check.instructions),
			 "verified", json_of_count(verdict->check.verified),
			 "helpers", json_of_text(verdict->check.helpers), "log", json_of_text(verdict->check.log));
}

/* Checks the filter for one engine. Appends the result to @array; if that is NULL, prints it. */
static int check_engine(const char *name, const char *engine, json_t **array, int *verdict_err)
{
	struct verdict verdict = { .check = { .sz = sizeof(verdict.check) } };
	struct tprof_error error = { 0 };
	struct tprof_filter *filter;

	/* A filter object can be checked only once. */
	filter = tprof_filter__open(name, &error);
	if (!filter)
		return out_error_of(&error, errno);
	verdict.err = tprof_filter__check(filter, engine, &verdict.check);
	verdict.filter = filter;
	if (array)
		*array = json_and(*array, verdict_json(engine, &verdict));
	else
		print_verdict(engine, &verdict);
	*verdict_err = verdict.err;
	tprof_filter__free(filter);
	return 0;
}

/* The worst result of the available engines; EXIT_CANNOT if none is available. */
static int check(const char *name, const struct tprof_filter *filter, bool json)
{
	json_t *array = json ? json_array() : NULL;
	bool asked = false, refused = false;
	int code = 0, err = 0;
	size_t i;

	if (!json)
		code = out_written(filter_about_print(filter));
	for (i = 0; i < ARRAY_SIZE(engines) && !code; i++) {
		code = check_engine(name, engines[i], json ? &array : NULL, &err);
		asked |= !could_not_ask(err);
		refused |= err && !could_not_ask(err);
	}
	if (json && !code)
		code = out_written(json_print(json_with(filter_about_json(filter), "engines", array)));
	else
		json_decref(array);
	if (!code)
		code = out_finish();
	if (code)
		return code;
	if (refused)
		return EXIT_FAIL;
	return asked ? EXIT_OK : EXIT_CANNOT;
}

static int show(const char *name, const struct tprof_filter *filter, bool json)
{
	struct tprof_param_info param = { .sz = sizeof(param) };
	int code;

	if (json) {
		code = out_written(json_print(filter_about_json(filter)));
		return code ? code : out_finish();
	}
	code = out_written(filter_about_print(filter));
	if (code)
		return code;
	printf("  run it: tprof run %s", name);
	if (!tprof_filter__param(filter, 0, &param))
		printf(" --set %s=%s", param.name, param.value);
	putchar('\n');
	return out_finish();
}

static const struct {
	const char *name;
	int (*run)(const char *name, const struct tprof_filter *filter, bool json);
} actions[] = {
	{ "check", check },
	{ "show", show },
};

static int act(const struct opt_rest *rest, bool json)
{
	const char *action = rest->nr_operands ? rest->operands[0] : NULL;
	struct tprof_error error = { 0 };
	struct tprof_filter *filter;
	size_t i;
	int code;

	if (!action)
		return out_usage("`tprof help filter` shows the usage", "filter: give an action: check, list or show");
	if (!strcmp(action, "list") && rest->nr_operands == 1)
		return filter_about_all(json);
	for (i = 0; i < ARRAY_SIZE(actions) && strcmp(actions[i].name, action); i++)
		;
	if (i == ARRAY_SIZE(actions) && strcmp(action, "list"))
		return out_usage("use check, list or show", "filter %s: no such action", action);
	if (i == ARRAY_SIZE(actions))
		return out_usage("`tprof filter show FILTER` describes a filter", "filter list: takes no operand");
	if (rest->nr_operands != 2)
		return out_usage("give a path, or a name from `tprof filter list`", "filter %s: takes one filter",
				 action);
	filter = tprof_filter__open(rest->operands[1], &error);
	if (!filter)
		return out_error_of(&error, errno);
	code = actions[i].run(rest->operands[1], filter, json);
	tprof_filter__free(filter);
	return code;
}

static const struct opt_words words[] = { { ".", "check show list FILTER" }, { 0 } };

int cmd_filter(int argc, char **argv)
{
	bool json = false;
	const struct opt opts[] = {
		{ 'j', "json", NULL, "write JSON", opt_set_flag, 0 },
	};
	const struct opt_usage usage = {
		.synopsis = "filter [option ...] check FILTER | show FILTER | list",
		.about = "Have the kernel check a filter for each engine, describe a filter, or list those found by "
			 "name.",
		.words = words,
		.groups = { { "Options", opts, ARRAY_SIZE(opts), &json } },
	};
	struct opt_rest rest;
	int code = opt_parse(&usage, argc, argv, &rest);

	return code == OPT_RUN ? act(&rest, json) : code;
}
