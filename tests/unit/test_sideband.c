// SPDX-License-Identifier: GPL-2.0-only
/* Side-band records built by hand, and the events of the machine itself. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "sideband.h"
#include "sideband_record.h"

/* A record under construction. */
static union {
	struct perf_event_header header;
	uint8_t bytes[8192];
} r;

static void begin(uint32_t type, uint16_t misc)
{
	memset(&r, 0, sizeof(r));
	r.header = (struct perf_event_header){ .type = type, .misc = misc, .size = sizeof(r.header) };
}

static void add(const void *data, size_t size)
{
	memcpy(r.bytes + r.header.size, data, size);
	r.header.size = (uint16_t)(r.header.size + size);
}

static void add_u32(uint32_t value)
{
	add(&value, sizeof(value));
}

static void add_u64(uint64_t value)
{
	add(&value, sizeof(value));
}

/* With its NUL and padding to 8 bytes. */
static void add_text(const char *text)
{
	char padded[4096] = "";

	strcpy(padded, text);
	add(padded, (strlen(text) + 8) / 8 * 8);
}

static void add_trailer(uint64_t time_ns)
{
	add_u32(1);
	add_u32(2);
	add_u64(time_ns);
	add_u64(0);
}

static void add_task(uint32_t pid, uint32_t ppid, uint32_t tid, uint32_t ptid)
{
	add_u32(pid);
	add_u32(ppid);
	add_u32(tid);
	add_u32(ptid);
	add_u64(1);
	add_trailer(1000);
}

static void add_mmap(uint32_t pid, uint64_t start, uint64_t length, uint64_t pgoff)
{
	add_u32(pid);
	add_u32(pid);
	add_u64(start);
	add_u64(length);
	add_u64(pgoff);
}

static struct sideband_record parsed(int err)
{
	struct sideband_record record;

	assert_int_equal(sideband_parse(&r.header, r.header.size, &record), err);
	return record;
}

static void test_tasks(void **state)
{
	struct sideband_record record;

	(void)state;
	begin(PERF_RECORD_FORK, 0);
	add_task(20, 10, 20, 11);
	record = parsed(0);
	assert_int_equal(record.kind, SIDEBAND_FORK);
	assert_int_equal(record.time_ns, 1000);
	assert_int_equal(record.pid, 20);
	assert_int_equal(record.ppid, 10);
	assert_int_equal(record.ptid, 11);
	begin(PERF_RECORD_FORK, 0);
	add_task(10, 10, 21, 11);
	record = parsed(0);
	assert_int_equal(record.kind, SIDEBAND_THREAD);
	assert_int_equal(record.tid, 21);
	begin(PERF_RECORD_EXIT, 0);
	add_task(10, 1, 21, 1);
	record = parsed(0);
	assert_int_equal(record.kind, SIDEBAND_EXIT);
	assert_int_equal(record.tid, 21);
}

static void test_comms(void **state)
{
	static const char *const names[] = { "cat", "", "two words", "12345678", "a\nb (c)" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct sideband_record record;

		begin(PERF_RECORD_COMM, i % 2 ? PERF_RECORD_MISC_COMM_EXEC : 0);
		add_u32(10);
		add_u32(11);
		add_text(names[i]);
		add_trailer(5);
		record = parsed(0);
		assert_int_equal(record.kind, i % 2 ? SIDEBAND_EXEC : SIDEBAND_COMM);
		assert_int_equal(record.tid, 11);
		assert_string_equal(record.comm, names[i]);
	}
}

static void test_mmap2(void **state)
{
	struct sideband_record record;

	(void)state;
	begin(PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
	add_mmap(10, 0x1000, 0x2000, 0x3000);
	add_u32(8);
	add_u32(1);
	add_u64(12345);
	add_u64(1);
	add_u32(PROT_READ | PROT_EXEC);
	add_u32(MAP_PRIVATE);
	add_text("/opt/with space/x (deleted)");
	add_trailer(7);
	record = parsed(0);
	assert_int_equal(record.kind, SIDEBAND_MMAP);
	assert_int_equal(record.start, 0x1000);
	assert_int_equal(record.length, 0x2000);
	assert_int_equal(record.pgoff, 0x3000);
	assert_int_equal(record.id.maj, 8);
	assert_int_equal(record.id.min, 1);
	assert_int_equal(record.id.ino, 12345);
	assert_int_equal(record.id.build_id_size, 0);
	assert_string_equal(record.id.path, "/opt/with space/x (deleted)");
}

static void build_id_record(uint8_t size, uint32_t prot)
{
	uint8_t build_id[DSO_BUILD_ID_MAX];

	memset(build_id, 0xab, sizeof(build_id));
	begin(PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_BUILD_ID);
	add_mmap(10, 0x1000, 0x2000, 0x3000);
	add_u32(size);
	add(build_id, sizeof(build_id));
	add_u32(prot);
	add_u32(MAP_PRIVATE);
	add_text("/bin/x");
	add_trailer(7);
}

static void test_build_id(void **state)
{
	struct sideband_record record;

	(void)state;
	build_id_record(20, PROT_EXEC);
	record = parsed(0);
	assert_int_equal(record.id.build_id_size, 20);
	assert_int_equal(record.id.build_id[0], 0xab);
	assert_int_equal(record.id.build_id[19], 0xab);
	assert_int_equal(record.id.ino, 0);
	assert_string_equal(record.id.path, "/bin/x");
	build_id_record(21, PROT_EXEC);
	parsed(-EINVAL);
	build_id_record(20, PROT_READ);
	assert_int_equal(parsed(0).kind, SIDEBAND_OTHER);
}

static void test_others(void **state)
{
	struct sideband_record record;

	(void)state;
	begin(PERF_RECORD_LOST, 0);
	add_u64(3);
	add_u64(77);
	add_trailer(9);
	record = parsed(0);
	assert_int_equal(record.kind, SIDEBAND_LOST);
	assert_int_equal(record.nr_lost, 77);
	begin(PERF_RECORD_THROTTLE, 0);
	add_u64(3);
	add_trailer(9);
	record = parsed(0);
	assert_int_equal(record.kind, SIDEBAND_OTHER);
	assert_int_equal(record.time_ns, 9);
	begin(9999, 0xffff);
	add_trailer(9);
	assert_int_equal(parsed(0).kind, SIDEBAND_OTHER);
}

/* Whatever the bytes are, texts end within them. */
static void check_texts(const uint8_t *bytes, size_t size, const struct sideband_record *record)
{
	const char *texts[] = { record->comm, record->id.path };

	for (int i = 0; i < 2; i++) {
		const uint8_t *text = (const uint8_t *)texts[i];

		if (!text)
			continue;
		assert_true(text >= bytes && text < bytes + size);
		assert_non_null(memchr(text, '\0', (size_t)(bytes + size - text)));
	}
}

static void test_truncated(void **state)
{
	uint16_t whole;

	(void)state;
	build_id_record(20, PROT_EXEC);
	whole = r.header.size;
	for (uint16_t size = 0; size < whole; size++) {
		/* On the heap and just as large, for the sanitizer. */
		struct perf_event_header *copy = malloc(size ? size : 1);
		struct sideband_record record;

		memcpy(copy, &r, size);
		assert_int_equal(sideband_parse(copy, size, &record), -EINVAL);
		if (size >= sizeof(*copy)) {
			copy->size = size;
			if (!sideband_parse(copy, size, &record))
				check_texts((uint8_t *)copy, size, &record);
		}
		free(copy);
	}
}

static void test_garbage(void **state)
{
	(void)state;
	srand(1);
	for (int round = 0; round < 200000; round++) {
		size_t size = (size_t)(rand() % 160);
		uint8_t *bytes = malloc(size + 1);
		struct perf_event_header *header = (struct perf_event_header *)bytes;
		struct sideband_record record;

		for (size_t i = 0; i < size; i++)
			bytes[i] = rand() % 4 ? (uint8_t)rand() : 0;
		if (size >= sizeof(*header)) {
			header->type = (uint32_t)(rand() % 12);
			header->size = (uint16_t)(rand() % 3 ? size : (size_t)rand());
		}
		if (!sideband_parse(header, size, &record))
			check_texts(bytes, size, &record);
		free(bytes);
	}
}

/* Live -------------------------------------------------------------------------------------------------- */

struct live {
	struct dsos *dsos;
	struct aspaces *aspaces;
	struct sideband *sideband;
	int nr_forked, nr_exited;
	pid_t last_exited;
};

static void count_forked(void *ctx, pid_t parent_tgid, pid_t tgid)
{
	struct live *live = ctx;

	(void)tgid;
	live->nr_forked += parent_tgid == getpid();
}

static void count_exited(void *ctx, pid_t tgid)
{
	struct live *live = ctx;

	live->nr_exited++;
	live->last_exited = tgid;
}

static void live_close(struct live *live)
{
	sideband_close(live->sideband);
	aspaces_free(live->aspaces);
	dsos_free(live->dsos);
}

static void live_open(struct live *live)
{
	struct sideband_listener listener = { .forked = count_forked, .exited = count_exited, .ctx = live };
	struct tprof_error error = { .text = "" };

	memset(live, 0, sizeof(*live));
	live->dsos = dsos_new(NULL);
	live->aspaces = aspaces_new(live->dsos, NULL);
	live->sideband = sideband_open(live->aspaces, &listener, NULL, &error);
	if (!live->sideband) {
		int err = errno;

		live_close(live);
		print_message("# %s\n", error.text);
		assert_string_not_equal(error.text, "");
		if (err == EPERM || err == EACCES || err == ENOSYS)
			skip();
		fail();
	}
	assert_true(aspaces_scan(live->aspaces) > 0);
}

#define NR_CHILDREN 200

static pid_t spawn(void)
{
	pid_t pid = fork();

	if (!pid) {
		execl("/bin/true", "true", NULL);
		_exit(127);
	}
	assert_true(pid > 0);
	return pid;
}

static void test_live_children(void **state)
{
	pid_t pids[NR_CHILDREN];
	struct live live;
	int nr = 0;

	(void)state;
	live_open(&live);
	for (int i = 0; i < NR_CHILDREN; i++) {
		pids[i] = spawn();
		waitpid(pids[i], NULL, 0);
		/* At once: what else starts on this machine fills the rings too. */
		nr += sideband_drain(live.sideband);
	}
	assert_true(nr >= NR_CHILDREN * 4);
	assert_int_equal(sideband_lost(live.sideband), 0);
	for (int i = 0; i < NR_CHILDREN; i++) {
		const char *name = aspaces_process_name(live.aspaces, pids[i], 0);

		assert_non_null(name);
		assert_string_equal(name, "true");
	}
	assert_int_equal(live.nr_forked, NR_CHILDREN);
	assert_true(live.nr_exited >= NR_CHILDREN);
	live_close(&live);
}

/* What was mapped in a child before its exec, and after, is found by address. */
static void test_live_mappings(void **state)
{
	uint64_t here = (uint64_t)(uintptr_t)test_live_mappings;
	const struct mapping *mapping;
	struct live live;
	int hold[2];
	pid_t pid;

	(void)state;
	live_open(&live);
	assert_int_equal(pipe(hold), 0);
	pid = fork();
	if (!pid) {
		char byte;

		close(hold[1]);
		prctl(PR_SET_NAME, "forked");
		(void)!read(hold[0], &byte, 1);
		execl("/bin/true", "true", NULL);
		_exit(127);
	}
	close(hold[0]);
	while (!aspaces_process_name(live.aspaces, pid, 0) ||
	       strcmp(aspaces_process_name(live.aspaces, pid, 0), "forked"))
		assert_true(sideband_drain(live.sideband) >= 0);
	mapping = aspaces_find(live.aspaces, pid, (uint32_t)(here >> 12), here);
	assert_non_null(mapping);
	assert_string_equal(dso_name(mapping->dso), program_invocation_short_name);
	close(hold[1]);
	waitpid(pid, NULL, 0);
	assert_true(sideband_drain(live.sideband) > 0);
	assert_string_equal(aspaces_process_name(live.aspaces, pid, 0), "true");
	assert_string_equal(aspaces_process_name(live.aspaces, pid, (uint32_t)(here >> 12)), "forked");
	live_close(&live);
}

static void *named_thread(void *arg)
{
	char byte;

	prctl(PR_SET_NAME, "a thread");
	(void)!read((int)(intptr_t)arg, &byte, 1);
	_exit(0);
	return NULL;
}

/* A process whose main thread ends first has not ended. */
static void leave_a_thread_behind(int ready, int fd)
{
	pthread_t thread;
	char byte = 0;

	prctl(PR_SET_NAME, "leader");
	/* By value: the thread outlives this stack. */
	pthread_create(&thread, NULL, named_thread, (void *)(intptr_t)fd);
	(void)!write(ready, &byte, 1);
	pthread_exit(NULL);
}

static void test_live_leader_ends_first(void **state)
{
	int hold[2], ready[2];
	struct live live;
	char byte;
	pid_t pid;

	(void)state;
	live_open(&live);
	assert_int_equal(pipe(hold) | pipe(ready), 0);
	pid = fork();
	if (!pid) {
		close(hold[1]);
		leave_a_thread_behind(ready[1], hold[0]);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	usleep(50000);
	assert_true(sideband_drain(live.sideband) > 0);
	assert_true(live.last_exited != pid);
	for (int i = 0; i < 3; i++)
		aspaces_age(live.aspaces);
	assert_string_equal(aspaces_process_name(live.aspaces, pid, 0), "leader");
	close(hold[1]);
	waitpid(pid, NULL, 0);
	assert_true(sideband_drain(live.sideband) > 0);
	assert_int_equal(live.last_exited, pid);
	close(hold[0]);
	close(ready[0]);
	close(ready[1]);
	live_close(&live);
}

/* Rings that overflow are said so, and the scan that follows brings things in order. */
static void test_live_overflow(void **state)
{
	struct epoll_event event;
	struct live live;
	int epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	pid_t pid;

	(void)state;
	live_open(&live);
	assert_int_equal(sideband_epoll_add(live.sideband, epoll_fd), 0);
	assert_int_equal(epoll_wait(epoll_fd, &event, 1, 0), 0);
	for (int i = 0; i < 1500; i++)
		waitpid(spawn(), NULL, 0);
	assert_int_equal(epoll_wait(epoll_fd, &event, 1, 0), 1);
	assert_true(sideband_drain(live.sideband) > 0);
	pid = spawn();
	waitpid(pid, NULL, 0);
	assert_true(sideband_drain(live.sideband) > 0);
	print_message("# %llu lost\n", (unsigned long long)sideband_lost(live.sideband));
	assert_string_equal(aspaces_process_name(live.aspaces, pid, 0), "true");
	for (int i = 0; i < 3; i++)
		aspaces_age(live.aspaces);
	/* Nothing of those whose end was lost. */
	assert_true(aspaces_nr_images(live.aspaces) < 1000);
	close(epoll_fd);
	live_close(&live);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tasks),
		cmocka_unit_test(test_comms),
		cmocka_unit_test(test_mmap2),
		cmocka_unit_test(test_build_id),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_garbage),
		cmocka_unit_test(test_live_children),
		cmocka_unit_test(test_live_mappings),
		cmocka_unit_test(test_live_leader_ends_first),
		cmocka_unit_test(test_live_overflow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
