// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random test of symbolization: side-band records, in a ring as the kernel writes them, update address spaces,
 * mappings, images, files and names. Random sequences of all events of processes are compared with a model that stores
 * everything, page by page. Sanitizers check memory accesses.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <cmocka.h>

#include "base/clock.h"
#include "naming_model.h"
#include "process/aspace.h"
#include "record_ring.h"
#include "symbol/symbolize.h"

/* Larger than the largest PID, so they do not exist in /proc. */
#define FIRST_ID 5000000
/* Just below a multiple of 16 TiB, so that page numbers overflow 32 bits. */
#define BASE (0x100000000000ULL - 0x40000)
#define NR_NAMES 5
#define NR_FILES 5
#define NR_HELD 64

static const char *const names[NR_NAMES] = { "init", "", "a name of 15 B", "\x01\xff\n", "worker" };
static const char *const files[NR_FILES] = {
	"//anon", "/bin/one", "/lib/two.so", "/lib/three.so", "/tmp/four (deleted)",
};
static const char *const objects[NR_FILES] = { "[jit]", "one", "two.so", "three.so", "four" };

/* A returned name: it must be valid until the second age after that. */
struct held {
	const char *text;
	int name;
	uint32_t age;
};

static struct dsos *dsos;
static struct aspaces *aspaces;
static struct symbolizer *symbolizer;
static struct model model;
static struct held held[NR_HELD];
static uint64_t now_ns;
static int nr_tasks;			/* tasks of the model in use */
static int last_mapped;
static uint64_t random_state;
static unsigned int nr_held, nr_named, nr_unnamed, nr_unsure;

static void setup(uint64_t seed)
{
	dsos = dsos_new(NULL);
	aspaces = aspaces_new(dsos, NULL);
	symbolizer = symbolizer_new(aspaces, NULL);
	ring_reset(aspaces);
	model_init(&model);
	nr_held = nr_named = nr_unnamed = nr_unsure = 0;
	now_ns = clock_now_ns();
	random_state = seed;
}

static void teardown(void)
{
	model_fini(&model);
	sideband_processes_fini(&processes);
	symbolizer_free(symbolizer);
	aspaces_free(aspaces);
	dsos_free(dsos);
}

/* xorshift64: the same numbers on all machines. */
static int draw(int below)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (int)(random_state % (uint64_t)below);
}

/* Records ------------------------------------------------------------------------------------------------ */

static void tell_task(uint32_t type, int tgid, int ptgid, int tid, int ptid, uint64_t time_ns)
{
	struct record record = record_begin();

	put32(&record, (uint32_t)(FIRST_ID + tgid));
	put32(&record, (uint32_t)(FIRST_ID + ptgid));
	put32(&record, (uint32_t)(FIRST_ID + tid));
	put32(&record, (uint32_t)(FIRST_ID + ptid));
	put64(&record, time_ns);
	record_tell(&record, type, 0, time_ns);
}

static void tell_comm(int tgid, int tid, int name, bool is_exec, uint64_t time_ns)
{
	struct record record = record_begin();

	put32(&record, (uint32_t)(FIRST_ID + tgid));
	put32(&record, (uint32_t)(FIRST_ID + tid));
	put_text(&record, names[name]);
	record_tell(&record, PERF_RECORD_COMM, is_exec ? PERF_RECORD_MISC_COMM_EXEC : 0, time_ns);
}

static void tell_mmap(int tgid, int first, int nr, int file, uint64_t pgoff, uint32_t prot, uint64_t time_ns)
{
	struct record record = record_begin();

	put32(&record, (uint32_t)(FIRST_ID + tgid));
	put32(&record, (uint32_t)(FIRST_ID + tgid));
	put64(&record, BASE + (uint64_t)first * 0x1000);
	put64(&record, (uint64_t)nr * 0x1000);
	put64(&record, pgoff);
	put32(&record, file ? 7 : 0);	/* major, minor, inode, generation */
	put32(&record, file ? 7 : 0);
	put64(&record, file ? 1000 + (uint64_t)file : 0);
	put64(&record, 0);
	put32(&record, prot);
	put32(&record, MAP_PRIVATE);
	put_text(&record, files[file]);
	record_tell(&record, PERF_RECORD_MMAP2, 0, time_ns);
}

/* Random events ----------------------------------------------------------------------------------------- */

/* Most records are in order of time, some are late. */
static uint64_t event_time(void)
{
	now_ns += 1 + (uint64_t)draw(3);
	return draw(64) ? now_ns : now_ns - (uint64_t)draw(200);
}

static void do_fork(void)
{
	int parent = draw(nr_tasks), child = draw(nr_tasks);
	uint64_t time_ns = event_time();

	tell_task(PERF_RECORD_FORK, child, parent, child, parent, time_ns);
	model_fork(&model, parent, child, time_ns);
}

static void do_thread(void)
{
	int tgid = draw(nr_tasks), parent = draw(nr_tasks), tid = draw(nr_tasks);

	if (tid == tgid)
		return;
	tell_task(PERF_RECORD_FORK, tgid, tgid, tid, parent, event_time());
	model_thread(&model, tgid, tid, model.tasks[parent].comm);
}

static void do_exec(void)
{
	int tgid = draw(nr_tasks), name = draw(NR_NAMES);
	uint64_t time_ns = event_time();

	tell_comm(tgid, tgid, name, true, time_ns);
	model_exec(&model, tgid, name, time_ns);
}

static void do_comm(void)
{
	int tgid = draw(nr_tasks), tid = draw(3) ? tgid : draw(nr_tasks), name = draw(NR_NAMES);

	tell_comm(tgid, tid, name, false, event_time());
	model_comm(&model, tgid, tid, name);
}

static void map(int tgid, int first, int nr, int file, uint64_t pgoff)
{
	uint64_t time_ns = event_time();

	nr = first + nr > MODEL_PAGES ? MODEL_PAGES - first : nr;
	last_mapped = first;
	tell_mmap(tgid, first, nr, file, pgoff, PROT_READ | PROT_EXEC, time_ns);
	model_mmap(&model, tgid, first, nr, file, pgoff, time_ns);
}

/* Each file has its usual address, so that replacements are rare, and a mapping is complete again after a hole. */
static void do_mmap(void)
{
	int first = draw(MODEL_PAGES), file = draw(16) ? first / 64 % NR_FILES : draw(NR_FILES);

	map(draw(nr_tasks), first, 1 + draw(draw(8) ? 4 : 64), file, (uint64_t)first * 0x1000);
}

/* Maps memory with holes, so that there are many pieces, which one mapping over all of them replaces. */
static void do_pieces(void)
{
	int tgid = draw(nr_tasks), first = draw(MODEL_PAGES), nr = draw(64), step = 2 + draw(3);

	for (int i = 0; i < nr && first + i * step < MODEL_PAGES; i++)
		map(tgid, draw(2) ? first + i * step : MODEL_PAGES - 1 - i * step, 1, MODEL_ANON, (uint64_t)i * 0x5000);
}

/* Forks a child that maps one mapping over all shared ones. */
static void do_cover(void)
{
	int parent = draw(nr_tasks), child = draw(nr_tasks);

	tell_task(PERF_RECORD_FORK, child, parent, child, parent, ++now_ns);
	model_fork(&model, parent, child, now_ns);
	map(child, draw(8), MODEL_PAGES, MODEL_ANON, 0);
}

/* mprotect() without PROT_EXEC makes no record; with PROT_EXEC, the record is the same as for a mapping. */
static void do_mprotect(void)
{
	int tgid = draw(nr_tasks), first = draw(MODEL_PAGES), nr = 1 + draw(4);

	if (draw(2)) {
		nr = first + nr > MODEL_PAGES ? MODEL_PAGES - first : nr;
		tell_mmap(tgid, first, nr, 1, 0, PROT_READ, event_time());
	} else {
		map(tgid, first, nr, first / 64 % NR_FILES, (uint64_t)first * 0x1000);
	}
}

static void do_exit(void)
{
	int tgid = draw(nr_tasks), tid = draw(2) ? tgid : draw(nr_tasks);
	uint64_t time_ns = event_time();

	tell_task(PERF_RECORD_EXIT, tgid, tgid, tid, tid, time_ns);
	model_exit(&model, tid, time_ns);
}

/* Records were lost: /proc is read, which has none of the tasks. Later events have later times. */
static void do_lost(void)
{
	struct record record = record_begin();
	uint64_t start_ns = clock_now_ns();

	put64(&record, 1);
	put64(&record, 3);
	record_tell(&record, PERF_RECORD_LOST, 0, now_ns);
	assert_true(aspaces_scan(aspaces) > 0);
	now_ns = clock_now_ns() + 1000;
	model_unseen(&model, start_ns);
}

/* Answers ------------------------------------------------------------------------------------------------ */

static uint64_t address_of(int at)
{
	return BASE + (uint64_t)at * 0x1000;
}

static uint32_t exec_id_of(int at)
{
	return at == MODEL_NONE ? 0 : (uint32_t)(address_of(at) >> 12);
}

/* The page at a multiple of 16 TiB has the number 0, which means unknown. */
static int draw_exec(void)
{
	int exec = draw(4) ? draw(MODEL_PAGES) : MODEL_NONE;

	return exec_id_of(exec) ? exec : MODEL_NONE;
}

/* Half of the time, returns a page that was mapped recently. */
static int draw_page(void)
{
	return draw(2) ? draw(MODEL_PAGES) : last_mapped;
}

/* An empty name is shown as a placeholder. */
static const char *shown(int name)
{
	return names[name][0] ? names[name] : "[empty]";
}

static void check_name(const char *text, int name)
{
	if (name == MODEL_NONE) {
		assert_null(text);
		return;
	}
	assert_non_null(text);
	assert_string_equal(text, shown(name));
	held[nr_held++ % NR_HELD] = (struct held){ .text = text, .name = name, .age = model.age };
}

static void do_names(void)
{
	int id = draw(nr_tasks), exec = draw_exec();

	check_name(aspaces_process_name(aspaces, FIRST_ID + id, exec_id_of(exec)),
		   model_process_name(&model, id, exec));
	check_name(aspaces_thread_name(aspaces, FIRST_ID + id), model_thread_name(&model, id));
}

static void do_find(void)
{
	int id = draw(nr_tasks), exec = draw_exec(), at = draw_page(), inside = draw(0x1000);
	struct model_answer answer = model_find(&model, id, exec, at);
	uint64_t ip = address_of(at) + (uint64_t)inside;
	const struct mapping *mapping = aspaces_find(aspaces, FIRST_ID + id, exec_id_of(exec), ip);

	if (!mapping) {
		assert_true(!answer.page || answer.maybe);
		nr_unsure += answer.page != NULL;
		nr_unnamed++;
		return;
	}
	assert_non_null(answer.page);
	assert_true(mapping->start <= ip && ip < mapping->end);
	assert_string_equal(dso_name(mapping->dso), objects[answer.page->file]);
	assert_int_equal(ip - mapping->start + mapping->pgoff, answer.page->pgoff + (uint64_t)inside);
	nr_named++;
}

static void check_symbol(void)
{
	int id = draw(nr_tasks), exec = draw_exec(), at = draw_page();
	struct model_answer answer = model_find(&model, id, exec, at);
	struct tprof_symbol symbol;
	char expected[64];

	assert_int_equal(symbolizer_resolve(symbolizer, FIRST_ID + id, exec_id_of(exec), address_of(at), &symbol), 0);
	if (!strcmp(symbol.name, "[unknown]")) {
		assert_true(!answer.page || answer.maybe);
		return;
	}
	assert_non_null(answer.page);
	snprintf(expected, sizeof(expected), "[%s+0x%" PRIx64 "]", objects[answer.page->file], answer.page->pgoff);
	assert_string_equal(symbol.name, answer.page->file == MODEL_ANON ? "[jit]" : expected);
}

/* A reading of the tables: symbolizes addresses, then drops what ended before the previous reading. */
static void do_reading(void)
{
	for (int i = 0; i < 16; i++)
		check_symbol();
	symbolizer_age(symbolizer);
	aspaces_age(aspaces);
	dsos_age(dsos, clock_now_ns());
	model_age(&model);
	for (int i = 0; i < NR_HELD; i++)
		if (held[i].text && model.age - held[i].age < 2)
			assert_string_equal(held[i].text, shown(held[i].name));
		else
			held[i].text = NULL;
}

static void check_size(void)
{
	size_t nr = 0;

	for (int i = 0; i < MODEL_TASKS; i++)
		nr += (size_t)model.tasks[i].nr;
	/* There are more images, from the read of /proc after a loss. */
	assert_true(aspaces_nr_images(aspaces) >= nr);
}

/* The frequency of each event, of 1000; the rest are lookups. */
struct habits {
	int tasks;			/* the number of IDs */
	int fork, thread, exec, comm, mmap, pieces, cover, mprotect, exit, reading, lost;
};

static void step(const struct habits *habits)
{
	const struct {
		int weight;
		void (*run)(void);
	} all[] = {
		{ habits->fork, do_fork }, { habits->thread, do_thread }, { habits->exec, do_exec },
		{ habits->comm, do_comm }, { habits->mmap, do_mmap }, { habits->pieces, do_pieces },
		{ habits->cover, do_cover }, { habits->mprotect, do_mprotect }, { habits->exit, do_exit },
		{ habits->reading, do_reading },
	};
	int at = draw(1000);

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (at < all[i].weight)
			return all[i].run();
		at -= all[i].weight;
	}
	if (habits->lost && !draw(habits->lost))
		return do_lost();
	if (draw(4))
		do_find();
	else
		do_names();
}

#define NR_STEPS 40000

static void run(uint64_t seed, const struct habits *habits)
{
	setup(seed);
	nr_tasks = habits->tasks;
	for (int i = 0; i < NR_STEPS; i++)
		step(habits);
	check_size();
	print_message("# seed %" PRIu64 ": %u named, %u not (%u to be on the safe side); %" PRIu64
		      " pages got other code, %" PRIu64 " images had to go\n", seed, nr_named, nr_unnamed, nr_unsure,
		      model.nr_remapped, model.nr_dropped);
	assert_true(nr_named > 1000 && nr_unnamed > 1000 && nr_unsure < nr_named / 4);
	teardown();
}

static void test_ordinary(void **state)
{
	const struct habits habits = {
		.tasks = 24, .fork = 60, .thread = 30, .exec = 40, .comm = 30, .mmap = 300, .mprotect = 20, .exit = 40,
		.reading = 5, .lost = 2000,
	};

	(void)state;
	run(1, &habits);
}

static void test_many_mappings(void **state)
{
	const struct habits habits = {
		.tasks = 24, .fork = 30, .exec = 5, .mmap = 100, .pieces = 100, .cover = 30, .exit = 5, .reading = 2,
	};

	(void)state;
	run(2, &habits);
}

static void test_processes_that_live_shortly(void **state)
{
	const struct habits habits = {
		.tasks = 12, .fork = 120, .thread = 40, .exec = 80, .comm = 60, .mmap = 250, .exit = 80, .reading = 20,
		.lost = 1000,
	};

	(void)state;
	run(3, &habits);
}

/* Readings are rare, so that processes have more images than the limit. */
static void test_too_many_images(void **state)
{
	const struct habits habits = {
		.tasks = 3, .fork = 60, .exec = 150, .comm = 10, .mmap = 300, .exit = 5, .reading = 2,
	};

	(void)state;
	run(4, &habits);
	assert_true(model.nr_dropped > 100);
}

static void test_much_is_lost(void **state)
{
	const struct habits habits = {
		.tasks = 16, .fork = 60, .thread = 60, .exec = 60, .comm = 60, .mmap = 250, .cover = 5, .exit = 60,
		.reading = 10, .lost = 200,
	};

	(void)state;
	run(5, &habits);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ordinary),
		cmocka_unit_test(test_many_mappings),
		cmocka_unit_test(test_processes_that_live_shortly),
		cmocka_unit_test(test_too_many_images),
		cmocka_unit_test(test_much_is_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
