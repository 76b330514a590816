// SPDX-License-Identifier: GPL-2.0-only
/*
 * Simulates an hour of a busy machine in a few seconds: new programs start, map files, are sampled and end, and the
 * tables are read once a second of a simulated clock. The data for symbolization must not use more memory, or more
 * descriptors, at the end of the hour than after the first minutes.
 */
#include "elf_fixture.h"

#include <dirent.h>
#include <inttypes.h>
#include <malloc.h>

#include "base/clock.h"
#include "file_id.h"
#include "process/aspace.h"
#include "symbol/symbolize.h"

#define FIRST_ID 5000000		/* larger than the largest PID, so they do not exist in /proc */
#define HOUR 3600			/* readings */
#define WARM 300
#define PROGRAMS 10			/* started in a second */
#define NR_IDS 4000			/* reused, as the kernel does */
#define REAL_EVERY 20			/* seconds; then one of the programs is a real file */
#define SNAPSHOT_EVERY 5
#define TEXT 0x400000ULL
#define LIBRARY 0x7f0000000000ULL
#define MEMORY 0x7f8000000000ULL

static struct truth truth[MAX_TRUTH];
static size_t nr_truth;

struct soak {
	struct dsos *dsos;
	struct aspaces *aspaces;
	struct symbolizer *symbolizer;
	uint64_t now_ns;
	uint64_t nr_started, nr_real;
};

static size_t nr_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	size_t nr = 0;

	while (readdir(dir))
		nr++;
	closedir(dir);
	return nr;
}

static const char *name_at(struct soak *soak, pid_t pid, uint64_t ip)
{
	const struct tprof_frame *frames;
	int nr = symbolizer_frames(soak->symbolizer, pid, TEXT >> 12, ip, &frames);

	assert_true(nr > 0);
	return frames[nr - 1].symbol;
}

static void map(struct soak *soak, pid_t pid, uint64_t start, const char *path, uint64_t ino)
{
	struct dso_id id = { .path = path, .maj = ino ? 7 : 0, .ino = ino };

	aspaces_mmap(soak->aspaces, pid, start, 0x100000, 0, &id, ++soak->now_ns);
}

static pid_t id_of(uint64_t number)
{
	return FIRST_ID + 1 + (pid_t)(number % NR_IDS);
}

/* Whether the program lives beyond the next reading of the tables. */
static bool lives_longer(uint64_t number)
{
	return number % 3 == 0;
}

/* Runs a new program with its own functions, and a library that all programs share. */
static void run_program(struct soak *soak, pid_t pid)
{
	uint64_t number = ++soak->nr_started;
	char path[64], comm[16], expected[96];

	snprintf(path, sizeof(path), "/build/%" PRIu64 "/test-%" PRIu64, number / 7, number);
	snprintf(comm, sizeof(comm), "p%" PRIu64, number);
	aspaces_fork(soak->aspaces, FIRST_ID, pid, ++soak->now_ns);
	aspaces_exec(soak->aspaces, pid, comm, ++soak->now_ns);
	map(soak, pid, TEXT, path, 100000 + number);
	map(soak, pid, LIBRARY, "/lib/all.so", 99);
	if (number % 10 == 0)
		map(soak, pid, MEMORY, "//anon", 0);
	for (uint64_t i = 0; i < 8; i++) {
		snprintf(expected, sizeof(expected), "[test-%" PRIu64 "+0x%" PRIx64 "]", number, i * 0x40);
		assert_string_equal(name_at(soak, pid, TEXT + i * 0x40), expected);
		assert_string_not_equal(name_at(soak, pid, LIBRARY + (number % 64) * 0x40), "[unknown]");
	}
	if (number % 10 == 0)
		assert_string_not_equal(name_at(soak, pid, MEMORY + number % 4096), "[unknown]");
	assert_string_equal(aspaces_process_name(soak->aspaces, pid, TEXT >> 12), comm);
	if (!lives_longer(number))
		aspaces_exit(soak->aspaces, pid, ++soak->now_ns);
}

/* Compiles, runs and removes a real program. */
static void run_real(struct soak *soak, pid_t pid)
{
	const struct truth *hidden = find_truth(truth, nr_truth, "hidden");
	char name[32], path[PATH_MAX];
	struct dso_id id;

	snprintf(name, sizeof(name), "%" PRIu64 ".so", ++soak->nr_real);
	shell("cp lib.so %s", name);
	strcpy(path, absolute(name));
	id = file_id(path);
	aspaces_fork(soak->aspaces, FIRST_ID, pid, ++soak->now_ns);
	aspaces_exec(soak->aspaces, pid, "real", ++soak->now_ns);
	aspaces_mmap(soak->aspaces, pid, TEXT, 0x100000, 0, &id, clock_now_ns());
	unlink(name);
	assert_string_equal(name_at(soak, pid, TEXT + hidden->offset), "hidden");
	aspaces_exit(soak->aspaces, pid, soak->now_ns);
}

static void read_tables(struct soak *soak, int second)
{
	symbolizer_program(soak->symbolizer, "filter", 0xffffffffc0000000ULL + (uint64_t)second * 0x1000, 0x800, false);
	symbolizer_program(soak->symbolizer, "filter", 0xffffffffc0000000ULL + (uint64_t)second * 0x1000, 0x800, true);
	symbolizer_age(soak->symbolizer);
	if (second % SNAPSHOT_EVERY == 0)
		symbolizer_forget_late(soak->symbolizer);
	aspaces_age(soak->aspaces);
	dsos_age(soak->dsos, (uint64_t)(second + 1) * 1000000000);
}

static void run_second(struct soak *soak, int second)
{
	symbolizer_mark(soak->symbolizer);
	for (uint64_t i = 0; second && i < PROGRAMS; i++) {
		if (lives_longer(soak->nr_started - i))
			aspaces_exit(soak->aspaces, id_of(soak->nr_started - i), ++soak->now_ns);
	}
	for (int i = 0; i < PROGRAMS; i++)
		run_program(soak, id_of(soak->nr_started + 1));
	if (second % REAL_EVERY == 0)
		run_real(soak, FIRST_ID + NR_IDS + 1 + second % 100);
	read_tables(soak, second);
}

static void test_an_hour(void **state)
{
	struct soak soak = { .dsos = dsos_new(NULL), .now_ns = clock_now_ns() };
	size_t warm_bytes = 0, warm_dsos = 0, warm_descriptors = 0, most_bytes = 0;

	(void)state;
	build_library("lib.so", "");
	nr_truth = read_truth("lib.so", truth);
	soak.aspaces = aspaces_new(soak.dsos, NULL);
	soak.symbolizer = symbolizer_new(soak.aspaces, NULL);
	for (int second = 0; second < HOUR; second++) {
		size_t bytes;

		run_second(&soak, second);
		bytes = mallinfo2().uordblks;
		if (second < WARM) {
			warm_bytes = bytes > warm_bytes ? bytes : warm_bytes;
			warm_dsos = dsos_nr(soak.dsos) > warm_dsos ? dsos_nr(soak.dsos) : warm_dsos;
			warm_descriptors = nr_descriptors() > warm_descriptors ? nr_descriptors() : warm_descriptors;
		}
		most_bytes = bytes > most_bytes ? bytes : most_bytes;
	}
	print_message("# %" PRIu64 " programs: %zu KiB after %d s, at most %zu KiB in the hour; %zu files\n",
		      soak.nr_started, warm_bytes >> 10, WARM, most_bytes >> 10, dsos_nr(soak.dsos));
	/* Keeping the data of all programs would take a hundred times as much. */
	assert_in_range(most_bytes, 0, warm_bytes + warm_bytes / 10);
	assert_in_range(dsos_nr(soak.dsos), 1, warm_dsos);
	assert_in_range(nr_descriptors(), 1, warm_descriptors);
	symbolizer_free(soak.symbolizer);
	aspaces_free(soak.aspaces);
	dsos_free(soak.dsos);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_an_hour, enter_directory, leave_directory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
