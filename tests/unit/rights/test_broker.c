// SPDX-License-Identifier: GPL-2.0-only
/* The broker, a process that keeps its privileges: the requests that it serves, and those that it refuses. */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "rights/broker.h"

static struct broker *new_broker(const char *temporary, const char *name)
{
	const struct broker_duties duties = { .temporary = temporary, .name = name };
	struct broker *broker = broker_new(&duties, NULL);

	assert_non_null(broker);
	return broker;
}

static int ask(struct broker *broker, uint32_t question, int32_t pid)
{
	const struct broker_request request = { .question = question, .pid = pid, .start = 1 };

	return broker_ask(broker, &request);
}

static void assert_answers(struct broker *broker)
{
	int fd = ask(broker, BROKER_MAPS, getpid());
	char byte;

	assert_true(fd >= 0);
	assert_int_equal(read(fd, &byte, 1), 1);
	close(fd);
}

static void test_answers(void **state)
{
	struct broker *broker = new_broker(NULL, NULL);

	(void)state;
	assert_answers(broker);
	assert_int_equal(ask(broker, BROKER_MAPS, 0), -ESRCH);
	assert_int_equal(ask(broker, BROKER_MAPS, INT32_MAX), -ENOENT);
	assert_int_equal(ask(broker, 1000, getpid()), -EINVAL);
	assert_int_equal(ask(broker, BROKER_PUBLISH, 0), -EINVAL);
	assert_answers(broker);
	broker_free(broker);
}

static void test_event_limit(void **state)
{
	const long most = 64 * sysconf(_SC_NPROCESSORS_CONF);
	struct broker *broker = new_broker(NULL, NULL);
	int fd = 0;

	(void)state;
	for (long i = 0; i < most && fd != -EMFILE; i++) {
		fd = ask(broker, BROKER_SIDEBAND, 0);
		if (fd >= 0)
			close(fd);
	}
	assert_int_equal(fd, -EMFILE);
	assert_answers(broker);
	broker_free(broker);
}

static int ask_counter(struct broker *broker, int32_t cpu, uint64_t event, uint64_t period)
{
	const struct broker_request request = {
		.question = BROKER_COUNTER, .pid = cpu, .start = event, .end = period,
	};

	return broker_ask(broker, &request);
}

/* Only the events that it was given, and no period that would take all of a CPU. */
static void test_counters(void **state)
{
	const struct event clock = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK };
	const struct event faults = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS };
	const struct event *events[] = { &clock, &faults };
	const struct broker_duties duties = { .events = events, .nr_events = 2 };
	struct broker *broker = broker_new(&duties, NULL), *none = new_broker(NULL, NULL);
	int fd;

	(void)state;
	assert_non_null(broker);
	assert_int_equal(ask_counter(broker, 0, 2, 1000000), -EINVAL);
	assert_int_equal(ask_counter(broker, 0, UINT64_MAX, 1000000), -EINVAL);
	assert_int_equal(ask_counter(broker, -1, 0, 1000000), -EINVAL);
	assert_int_equal(ask_counter(broker, 0, 0, 0), -EINVAL);
	assert_int_equal(ask_counter(broker, 0, 0, 9999), -EINVAL);
	assert_int_equal(ask_counter(broker, 0, 1, UINT64_MAX), -EINVAL);
	assert_int_equal(ask_counter(none, 0, 0, 1000000), -EINVAL);
	fd = ask_counter(broker, 0, 0, 1000000);
	assert_true(fd >= 0 || fd == -EACCES || fd == -EPERM);
	if (fd >= 0)
		close(fd);
	assert_answers(broker);
	broker_free(broker);
	broker_free(none);
}

static void test_file(void **state)
{
	char directory[] = "/tmp/tprof-test.XXXXXX", temporary[64], name[64];

	(void)state;
	assert_non_null(mkdtemp(directory));
	snprintf(temporary, sizeof(temporary), "%s/temporary", directory);
	snprintf(name, sizeof(name), "%s/name", directory);
	for (int published = 0; published < 2; published++) {
		struct broker *broker = new_broker(temporary, name);

		close(open(temporary, O_WRONLY | O_CREAT, 0600));
		assert_int_equal(published ? ask(broker, BROKER_PUBLISH, 0) : 0, 0);
		assert_int_equal(published ? ask(broker, BROKER_PUBLISH, 0) : -EINVAL, -EINVAL);
		broker_free(broker);
		assert_int_equal(access(temporary, F_OK), -1);
		assert_int_equal(access(name, F_OK), published ? 0 : -1);
	}
	unlink(name);
	rmdir(directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_answers),
		cmocka_unit_test(test_event_limit),
		cmocka_unit_test(test_counters),
		cmocka_unit_test(test_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
