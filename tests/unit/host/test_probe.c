// SPDX-License-Identifier: GPL-2.0-only
/* Probes of this machine. The results depend on the machine; their form does not. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "host/probe.h"
#include "tprof.h"

#define NOBODY 65534

struct tally {
	unsigned int nr, nr_required;
	bool required_missing;
	bool optional_seen;
};

static int look(void *ctx, const struct tprof_probe *probe)
{
	struct tally *tally = ctx;

	assert_true(probe->name[0]);
	assert_true(probe->text[0]);
	if (probe->ok)
		assert_string_equal(probe->mend, "");
	/* Required features come first, so that the first missing one is the reason. */
	if (probe->required)
		assert_false(tally->optional_seen);
	else
		tally->optional_seen = true;
	tally->nr++;
	tally->nr_required += probe->required;
	tally->required_missing |= probe->required && !probe->ok;
	return 0;
}

static int stop_at_third(void *ctx, const struct tprof_probe *probe)
{
	(void)probe;
	return ++*(int *)ctx == 3 ? 77 : 0;
}

static void test_form(void **state)
{
	struct tally tally = { 0 };

	(void)state;
	assert_int_equal(tprof_probe__each(look, &tally), 0);
	assert_true(tally.nr >= 15);
	assert_true(tally.nr_required >= 5);
}

static void test_stops(void **state)
{
	int calls = 0;

	(void)state;
	assert_int_equal(tprof_probe__each(stop_at_third, &calls), 77);
	assert_int_equal(calls, 3);
}

static void test_explain_agrees(void **state)
{
	struct tprof_error error = { .text = "as before" };
	struct tally tally = { 0 };
	int err;

	(void)state;
	tprof_probe__each(look, &tally);
	err = probe_explain(&error);
	if (tally.required_missing) {
		assert_true(err == -EPERM || err == -EOPNOTSUPP);
		assert_true(error.hint[0]);
	} else {
		assert_int_equal(err, 0);
		assert_string_equal(error.text, "as before");
	}
	assert_int_equal(probe_explain(NULL), err);
}

/* Runs in a child process, because dropped privileges cannot be regained. Returns 0 on success. */
static int explain_as_nobody(void)
{
	struct tprof_error error = { 0 };

	if (setgid(NOBODY) || setuid(NOBODY))
		return 1;
	if (probe_explain(&error) != -EPERM)
		return 2;
	if (!strstr(error.text, "CAP_PERFMON") || !strstr(error.text, "CAP_BPF"))
		return 3;
	return strstr(error.hint, "setcap") ? 0 : 4;
}

static void test_explain_to_nobody(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	if (geteuid())
		skip();
	pid = fork();
	if (!pid)
		_exit(explain_as_nobody());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_form),
		cmocka_unit_test(test_stops),
		cmocka_unit_test(test_explain_agrees),
		cmocka_unit_test(test_explain_to_nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
