// SPDX-License-Identifier: GPL-2.0-only
/* Events by the names that libpfm4 knows. It can encode those of other processors than that of this machine. */
#include <dlfcn.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "event/event.h"

static bool is_missing;

/* Instead of that of the C library: libpfm4 may be missing. */
void *dlopen(const char *file, int mode)
{
	return is_missing ? NULL : dlmopen(LM_ID_BASE, file, mode);
}

static void encoded(void **state)
{
	static const struct {
		const char *name;
		uint32_t type;
		uint64_t config;
		uint8_t excludes;
	} events[] = {
		{ "pfm:skl::INST_RETIRED:ANY_P", PERF_TYPE_RAW, 0xc0, 0 },
		{ "pfm:skl::INST_RETIRED:ANY_P:u", PERF_TYPE_RAW, 0xc0,
		  EVENT_EXCLUDE_KERNEL | EVENT_EXCLUDE_HYPERVISOR },
		{ "pfm:amd64_fam17h_zen2::RETIRED_INSTRUCTIONS:k", PERF_TYPE_RAW, 0xc0,
		  EVENT_EXCLUDE_USER | EVENT_EXCLUDE_HYPERVISOR },
		{ "pfm:perf::PERF_COUNT_SW_PAGE_FAULTS", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 0 },
	};
	struct tprof_error error = { 0 };
	struct event event;

	(void)state;
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		assert_int_equal(event_parse(&event, events[i].name, &error), 0);
		assert_string_equal(event.name, events[i].name);
		assert_int_equal(event.type, events[i].type);
		assert_true(event.config == events[i].config);
		assert_int_equal(event.excludes, events[i].excludes);
	}
	assert_int_equal(event_parse(&event, "pfm:perf::PERF_COUNT_SW_CPU_CLOCK", &error), 0);
	assert_string_equal(event.unit, "ns");
}

static void refused(void **state)
{
	struct tprof_error error = { 0 };
	struct event event;

	(void)state;
	assert_int_equal(event_parse(&event, "pfm:NO_SUCH_EVENT", &error), -ENOENT);
	assert_string_equal(error.text, "event pfm:NO_SUCH_EVENT: libpfm4: event not found");
	assert_non_null(strstr(error.hint, "perf list pfm"));
	assert_int_equal(event_parse(&event, "pfm:skl::L2_RQSTS:MISS:nothing=1", &error), -EINVAL);
	assert_non_null(strstr(error.text, "libpfm4: invalid event attribute"));
}

static void not_installed(void **state)
{
	struct tprof_error error = { 0 };
	struct event event;

	(void)state;
	is_missing = true;
	assert_int_equal(event_parse(&event, "pfm:INST_RETIRED:ANY_P", &error), -EOPNOTSUPP);
	assert_non_null(strstr(error.text, "libpfm4, which knows such names, cannot be loaded"));
	assert_non_null(strstr(error.hint, "install libpfm4"));
	is_missing = false;
}

/* Otherwise libpfm4 knows the events of this machine only. */
static int of_all_processors(void **state)
{
	(void)state;
	return setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(encoded),
		cmocka_unit_test(refused),
		cmocka_unit_test(not_installed),
	};

	return cmocka_run_group_tests(tests, of_all_processors, NULL);
}
