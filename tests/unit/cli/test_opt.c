// SPDX-License-Identifier: GPL-2.0-only
/* Options: all forms of an option, and the messages about wrong ones. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

#include "../../../cli/base/nearest.c"
#include "../../../cli/base/opt.c"

static char said[512];

/* Replaces the function in cli/base/out.c, and stores the message. */
int out_usage(const char *hint, const char *format, ...)
{
	va_list args;
	size_t length;

	va_start(args, format);
	vsnprintf(said, sizeof(said), format, args);
	va_end(args);
	length = strlen(said);
	if (hint)
		snprintf(said + length, sizeof(said) - length, " | %s", hint);
	return EXIT_USAGE;
}

int out_finish(void)
{
	return EXIT_OK;
}

struct values {
	bool json;
	const char *event;
	uint64_t delay_ns;
	uint64_t limit;
	uint64_t since_ns;
	uint64_t rate_hz;
};

#define AT(member) offsetof(struct values, member)

static int set_since(void *ctx, const struct opt *opt, const char *value)
{
	return opt_seconds(opt, value, "0.000000001", (uint64_t *)((char *)ctx + opt->at));
}

static int set_rate(void *ctx, const struct opt *opt, const char *value)
{
	return opt_positive(opt, value, UINT32_MAX, (uint64_t *)((char *)ctx + opt->at));
}

/* The short form takes no value. */
static int set_graph(void *ctx, const struct opt *opt, const char *value)
{
	return opt_set_text(ctx, opt, value ? value : "bare");
}

static const struct opt opts[] = {
	{ 'j', "json", NULL, "flag", opt_set_flag, AT(json) },
	{ 'e', "event", "EVENT", "text", opt_set_text, AT(event) },
	{ 'd', "delay", "SECONDS", "seconds", opt_set_seconds, AT(delay_ns) },
	{ 'n', "limit", "ROWS", "count", opt_set_count, AT(limit) },
	{ 's', "since", "SECONDS", "seconds", set_since, AT(since_ns) },
	{ 'F', "freq", "HZ", "1 to 100", set_rate, AT(rate_hz) },
	{ 'g' | OPT_BARE, "graph", "HOW", "text", set_graph, AT(event) },
	{ OPT_OPTIONAL, "wake", "COUNT", "text", set_graph, AT(event) },
};

static struct values values;
static struct opt_rest rest;
static char *words[16];

/* Parses the words of a command line, separated by blanks. */
static int parse(const char *line)
{
	static char copy[256];
	const struct opt_usage usage = {
		.synopsis = "test [option ...]",
		.about = "A test.",
		.groups = { { "Options", opts, ARRAY_SIZE(opts), &values } },
	};
	char *at = copy;
	int nr = 0;

	values = (struct values){ 0 };
	said[0] = 0;
	snprintf(copy, sizeof(copy), "test %s", line);
	while ((words[nr] = strsep(&at, " ")))
		nr += words[nr][0] != 0;
	return opt_parse(&usage, nr, words, &rest);
}

static void every_form_is_understood(void **state)
{
	static const char *const lines[] = {
		"-j -e cycles -n 7", "-je cycles -n7", "-jecycles --limit=7",
		"--json --event cycles --limit 7",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		assert_int_equal(parse(lines[i]), OPT_RUN);
		assert_true(values.json);
		assert_string_equal(values.event, "cycles");
		assert_int_equal(values.limit, 7);
		assert_int_equal(rest.nr_operands, 0);
		assert_null(rest.command);
	}
}

/* The next word is no value of an option whose value is optional. */
static void optional_value(void **state)
{
	(void)state;
	assert_int_equal(parse("--wake 7"), OPT_RUN);
	assert_string_equal(values.event, "bare");
	assert_int_equal(rest.nr_operands, 1);
	assert_int_equal(parse("--wake=7"), OPT_RUN);
	assert_string_equal(values.event, "7");
	assert_int_equal(rest.nr_operands, 0);
}

static void operands_and_command_are_left(void **state)
{
	(void)state;
	assert_int_equal(parse("one -j two - -- ls -e x"), OPT_RUN);
	assert_true(values.json);
	assert_null(values.event);
	assert_int_equal(rest.nr_operands, 3);
	assert_string_equal(rest.operands[0], "one");
	assert_string_equal(rest.operands[2], "-");
	assert_null(rest.operands[3]);
	assert_string_equal(rest.command[0], "ls");
	assert_string_equal(rest.command[2], "x");
	assert_null(rest.command[3]);
}

static void mistakes_are_named(void **state)
{
	static const struct {
		const char *line, *words;
	} mistakes[] = {
		{ "--evnet x", "--evnet: no such option | did you mean --event?" },
		{ "--wrong=1", "--wrong: no such option | `tprof help test` lists the options" },
		{ "-jx", "-x: no such option | `tprof help test` lists the options" },
		{ "-e", "--event: EVENT is missing | text" },
		{ "--event=", "--event: '' is empty | leave the option out to get the default" },
		{ "--json=1", "--json: takes no value | flag" },
		{ "-n 0", "--limit: '0' is out of range | the range is 1 to 4294967295" },
		{ "-n -1", "--limit: '-1' is not a whole number | the range is 1 to 4294967295" },
		{ "-n 1k", "--limit: '1k' is not a whole number | the range is 1 to 4294967295" },
		{ "-n 99999999999999999999", "--limit: '99999999999999999999' is out of range | "
					     "the range is 1 to 4294967295" },
		{ "-F 0", "--freq: '0' is out of range | 1 to 100" },
		{ "-F -5", "--freq: '-5' is not a whole number | 1 to 100" },
		{ "-F 99x", "--freq: '99x' is not a whole number | 1 to 100" },
		{ "-F 4294967296", "--freq: '4294967296' is out of range | 1 to 100" },
		{ "-F 99999999999999999999", "--freq: '99999999999999999999' is out of range | 1 to 100" },
		{ "-d soon", "--delay: 'soon' is not a number of seconds | give a number such as 10 or 0.5" },
		{ "-d 0", "--delay: '0' is out of range | the range is 0.01 to 1000000000 seconds" },
		{ "-d 0.0099", "--delay: '0.0099' is out of range | the range is 0.01 to 1000000000 seconds" },
		{ "-d 1000000001", "--delay: '1000000001' is out of range | the range is 0.01 to 1000000000 seconds" },
		{ "-s 0", "--since: '0' is out of range | the range is 0.000000001 to 1000000000 seconds" },
		{ "-s -1", "--since: '-1' is out of range | the range is 0.000000001 to 1000000000 seconds" },
		{ "-d nan", "--delay: 'nan' is not a number of seconds | give a number such as 10 or 0.5" },
		{ "--", "--: no command follows | give a command, such as: -- sleep 10" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(mistakes); i++) {
		assert_int_equal(parse(mistakes[i].line), EXIT_USAGE);
		assert_string_equal(said, mistakes[i].words);
	}
}

static void seconds_may_be_fractions(void **state)
{
	(void)state;
	assert_int_equal(parse("-d 0.25"), OPT_RUN);
	assert_int_equal(values.delay_ns, 250000000);
	assert_int_equal(parse("-s 0.000000001"), OPT_RUN);
	assert_int_equal(values.since_ns, 1);
	assert_int_equal(parse("-s 1000000.123456789"), OPT_RUN);
	assert_int_equal(values.since_ns, 1000000123456789);
}

/* The letter may also be combined with others, and the next word is not its value. */
static void short_form_may_take_no_value(void **state)
{
	(void)state;
	assert_int_equal(parse("-g fp"), OPT_RUN);
	assert_string_equal(values.event, "bare");
	assert_int_equal(rest.nr_operands, 1);
	assert_int_equal(parse("-jgd 3"), OPT_RUN);
	assert_string_equal(values.event, "bare");
	assert_true(values.json);
	assert_int_equal(values.delay_ns, 3000000000);
	assert_int_equal(parse("--graph fp"), OPT_RUN);
	assert_string_equal(values.event, "fp");
	assert_int_equal(parse("--graph"), EXIT_USAGE);
	assert_string_equal(said, "--graph: HOW is missing | text");
}

static void nearest_is_near(void **state)
{
	struct nearest nearest = { 0 };

	(void)state;
	nearest_offer(&nearest, "tpo", "run");
	assert_null(nearest.word);
	nearest_offer(&nearest, "tpo", "top");
	nearest_offer(&nearest, "tpo", "filter");
	assert_string_equal(nearest.word, "top");
	nearest = (struct nearest){ 0 };
	nearest_offer(&nearest, "x", "y");
	assert_null(nearest.word);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_form_is_understood),
		cmocka_unit_test(optional_value),
		cmocka_unit_test(operands_and_command_are_left),
		cmocka_unit_test(mistakes_are_named),
		cmocka_unit_test(seconds_may_be_fractions),
		cmocka_unit_test(short_form_may_take_no_value),
		cmocka_unit_test(nearest_is_near),
	};

	return cmocka_run_group_tests_name("opt", tests, NULL, NULL);
}
