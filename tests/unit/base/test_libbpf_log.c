// SPDX-License-Identifier: GPL-2.0-only
/* Messages of libbpf go to the log of the current thread, or else to the print function of the host program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/libbpf_log.h"

#define NR_THREADS 4
#define ROUNDS 2000

static atomic_uint host_heard;

static int host_print(enum libbpf_print_level level, const char *format, va_list args)
{
	(void)level;
	(void)format;
	(void)args;
	host_heard++;
	return 0;
}

/* Makes libbpf warn. */
static void warn(void)
{
	bpf_object__close(bpf_object__open_file("/nowhere/tprof.bpf.o", NULL));
}

static int host_hears(void **state)
{
	(void)state;
	libbpf_set_print(host_print);
	host_heard = 0;
	return 0;
}

static int nobody_hears(void **state)
{
	(void)state;
	libbpf_set_print(NULL);
	return 0;
}

static void whoever_listens_hears(void **state)
{
	struct libbpf_log said;

	(void)state;
	libbpf_log_begin(&said, NULL);
	warn();
	libbpf_log_end(&said);
	assert_non_null(strstr(said.warning, "/nowhere/tprof.bpf.o"));
	assert_int_equal(host_heard, 0);
	warn();
	assert_int_not_equal(host_heard, 0);
}

/* Two threads in a fixed order: A begins, B begins, A ends, B continues and ends. */
struct turns {
	pthread_barrier_t barrier;
	struct libbpf_log first, second;
};

static void *listen_first(void *ctx)
{
	struct turns *turns = ctx;

	libbpf_log_begin(&turns->first, NULL);
	pthread_barrier_wait(&turns->barrier);
	pthread_barrier_wait(&turns->barrier);
	libbpf_log_end(&turns->first);
	pthread_barrier_wait(&turns->barrier);
	return NULL;
}

static void two_overlap(void **state)
{
	struct turns turns;
	pthread_t thread;

	(void)state;
	pthread_barrier_init(&turns.barrier, NULL, 2);
	assert_int_equal(pthread_create(&thread, NULL, listen_first, &turns), 0);
	pthread_barrier_wait(&turns.barrier);
	libbpf_log_begin(&turns.second, NULL);
	pthread_barrier_wait(&turns.barrier);
	pthread_barrier_wait(&turns.barrier);
	warn();
	libbpf_log_end(&turns.second);
	pthread_join(thread, NULL);
	pthread_barrier_destroy(&turns.barrier);

	assert_non_null(strstr(turns.second.warning, "/nowhere/tprof.bpf.o"));
	assert_int_equal(host_heard, 0);
	assert_ptr_equal(libbpf_set_print(host_print), host_print);
}

static void *warn_once(void *ctx)
{
	(void)ctx;
	warn();
	return NULL;
}

static void others_are_heard_where_they_were(void **state)
{
	struct libbpf_log said;
	pthread_t thread;

	(void)state;
	libbpf_log_begin(&said, NULL);
	assert_int_equal(pthread_create(&thread, NULL, warn_once, NULL), 0);
	pthread_join(thread, NULL);
	libbpf_log_end(&said);
	assert_int_not_equal(host_heard, 0);
	assert_string_equal(said.warning, "");
}

static void others_stay_silent_where_they_were(void **state)
{
	struct libbpf_log said;
	pthread_t thread;

	(void)state;
	libbpf_set_print(NULL);
	libbpf_log_begin(&said, NULL);
	assert_int_equal(pthread_create(&thread, NULL, warn_once, NULL), 0);
	pthread_join(thread, NULL);
	libbpf_log_end(&said);
	assert_string_equal(said.warning, "");
	assert_null(libbpf_set_print(host_print));
}

/* The host program may set another print function meanwhile. */
static void the_hosts_choice_stays(void **state)
{
	struct libbpf_log said;

	(void)state;
	libbpf_set_print(NULL);
	libbpf_log_begin(&said, NULL);
	libbpf_set_print(host_print);
	libbpf_log_end(&said);
	assert_ptr_equal(libbpf_set_print(host_print), host_print);
}

static void *listen_often(void *ctx)
{
	atomic_uint *deaf = ctx;

	for (int i = 0; i < ROUNDS; i++) {
		struct libbpf_log said;

		libbpf_log_begin(&said, NULL);
		warn();
		libbpf_log_end(&said);
		*deaf += !said.warning[0];
	}
	return NULL;
}

static void many_at_once(void **state)
{
	pthread_t threads[NR_THREADS];
	atomic_uint deaf = 0;

	(void)state;
	for (int i = 0; i < NR_THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, listen_often, &deaf), 0);
	for (int i = 0; i < NR_THREADS; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(deaf, 0);
	assert_int_equal(host_heard, 0);
	assert_ptr_equal(libbpf_set_print(host_print), host_print);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, host_hears, nobody_hears)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(whoever_listens_hears),
		TEST(two_overlap),
		TEST(others_are_heard_where_they_were),
		TEST(others_stay_silent_where_they_were),
		TEST(the_hosts_choice_stays),
		TEST(many_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
