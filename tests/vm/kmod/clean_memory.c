// SPDX-License-Identifier: GPL-2.0-only
/*
 * No memory that was not written leaves the kernel. The machine is booted such that memory that is allocated keeps what
 * was in it: objects of the slab allocator are filled with a byte when they are freed, and this test fills pages with
 * it. Then the byte is looked for in all that the module puts out: results of each call, the records and the rings of
 * streams, debugfs, fdinfo, and parameters. Only run/lockdown.sh boots such a machine.
 *
 * vm: machines=none
 */
#include <dirent.h>

#include "ktap.h"
#include "device.h"
#include "filter.h"
#include "filter_link.h"
#include "process.h"
#include "probe.h"
#include "source.h"
#include "stream.h"

/* POISON_FREE of the kernel. */
#define OLD		0x6b
/* So many in a row are not by chance. */
#define IN_A_ROW	4
#define STREAM_BYTES	(1 << 16)
#define NR_PIPES	128
#define PIPE_BYTES	(1 << 20)

static int device;
static size_t looked_at;

/* A child writes to pages of the kernel, those of pipes, and ends. The pages of processes are kept apart from these. */
static int fill_pages(void)
{
	static char bytes[PIPE_BYTES];
	int ends[2];

	memset(bytes, OLD, sizeof(bytes));
	for (int i = 0; i < NR_PIPES; i++) {
		if (pipe(ends) || fcntl(ends[1], F_SETPIPE_SZ, PIPE_BYTES) < PIPE_BYTES ||
		    write(ends[1], bytes, sizeof(bytes)) != sizeof(bytes))
			return 1;
	}
	return 0;
}

static size_t old_bytes(const void *from, size_t size)
{
	const unsigned char *bytes = from;
	size_t row = 0, found = 0;

	looked_at += size;
	for (size_t i = 0; i < size; i++) {
		row = bytes[i] == OLD ? row + 1 : 0;
		found += row >= IN_A_ROW;
	}
	return found;
}

/* Most memory that is allocated has the byte in it, so it would be found. */
static void would_be_found(void)
{
	FILE *file = open_parameter("tprof_burst", "unwritten", "r");
	unsigned int byte, nr = 0, old[2] = { 0 };

	for (; fscanf(file, "%x", &byte) == 1; nr++)
		old[nr >= 64] += byte == OLD;
	fclose(file);
	diag("%u of 64 objects, %u of 64 pages", old[0], old[1]);
	is(nr, 128, "memory is allocated");
	check(old[0] > 32, "objects have the byte in them");
	check(old[1] > 32, "pages have the byte in them");
}

static void call(int fd, unsigned long cmd, uint32_t size, uint32_t second, const char *name)
{
	unsigned char arg[4096] = { 0 };

	memcpy(arg, &size, sizeof(size));
	memcpy(arg + sizeof(size), &second, sizeof(second));
	need(ioctl(fd, cmd, arg) >= 0, "%s answers", name);
	is(old_bytes(arg, sizeof(arg)), 0, "%s: all of it was written", name);
}

/* Larger structs, which newer clients have. The second member is a CPU, an event, or an index. */
#define CALL(fd, name, type, second) call(fd, TPROF_IOC_##name, sizeof(struct type) + 64, second, #name)

static void calls(int session)
{
	CALL(device, INFO, tprof_module_info, 0);
	for (uint32_t i = 0; i < 5; i++)
		CALL(device, SOURCE, tprof_source_info, i);
	CALL(session, LEDGER, tprof_ledger_read, (uint32_t)-1);
	CALL(session, LEDGER, tprof_ledger_read, 0);
	CALL(session, COUNTS, tprof_counts, 0);
	CALL(session, SESSION, tprof_session_info, 0);
	CALL(session, FILTER, tprof_filter_info, 0);
}

static void look_at_file(const char *path)
{
	const char *text = read_file(path);

	is(old_bytes(text, strlen(text)), 0, "%s: all of it was written", path);
}

static void look_at_directory(const char *directory)
{
	DIR *all = opendir(directory);
	struct dirent *entry;
	char path[300];
	int nr = 0;

	need(all, "%s is there", directory);
	while ((entry = readdir(all))) {
		snprintf(path, sizeof(path), "%s/%s", directory, entry->d_name);
		if (entry->d_type != DT_REG || access(path, R_OK))
			continue;
		look_at_file(path);
		nr++;
	}
	closedir(all);
	check(nr > 3, "%s has files", directory);
}

static void look_at_fdinfo(int fd)
{
	char path[40];

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	look_at_file(path);
}

/* The rings with all that is in them, records or not. */
static void look_at_rings(int session)
{
	for (int cpu = 0; cpu < sysconf(_SC_NPROCESSORS_CONF); cpu++) {
		struct mapped m = map_stream(session, cpu, STREAM_BYTES);

		is(old_bytes(m.control, getpagesize()) + old_bytes(m.state, getpagesize() + STREAM_BYTES), 0,
		   "CPU %d: all of its ring was written", cpu);
		unmap_stream(&m);
	}
}

static void look_at_records(int session)
{
	static struct records records;
	size_t nr = 0;

	while (read_records(session, &records, sizeof(records)) > 0) {
		nr += (size_t)records.length;
		if (old_bytes(records.bytes, (size_t)records.length))
			break;
	}
	diag("%zu bytes of records", nr);
	check(nr > 10000, "there are records");
	check(records.length <= 0, "all of them were written");
}

static void add_events(int session)
{
	static const char *const contexts[] = { "process", "irqs-off", "softirq", "hardirq" };

	need(add_timer(session, 1 * MS) == 0, "a timer");
	need(add_perf(session, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 1) >= 0, "page faults");
	need(add_probe(session, "kprobe", "do_sys_openat2", 0, 0, 1) >= 0, "a kprobe");
	for (size_t i = 0; i < sizeof(contexts) / sizeof(contexts[0]); i++)
		need(add_source(session, "burst", contexts[i], 1) >= 0, "samples %s", contexts[i]);
}

int main(void)
{
	const struct bpf_insn keep[] = { ANSWER(TPROF_KEEP) };
	struct tprof_ledger_read ledger;
	int session, link;

	device = open_device();
	/* Free pages are those that this CPU freed last. */
	pin(0);
	need(load_source("tprof_burst", "") == 0, "a source");
	is(in_child(fill_pages), 0, "pages are filled");
	would_be_found();

	session = create_session(device);
	need(session >= 0 && configure(session, 0, STREAM_BYTES) == 0, "a session with streams");
	look_at_rings(session);
	add_events(session);
	link = attach_filter(session, "keep", TPROF_FILTER_KERNEL_STACK | TPROF_FILTER_USER_STACK, keep, 2);
	need(link >= 0 && ioctl(session, TPROF_IOC_START) == 0, "it starts");
	for (int cpu = 0; cpu < sysconf(_SC_NPROCESSORS_CONF); cpu++) {
		pin(cpu);
		need(write_parameter("tprof_burst", "fire", 50), "samples");
		need(write(session, "mark", 3) == 3, "a mark");
		burn(50 * MS);
	}
	calls(session);
	look_at_directory("/sys/kernel/debug/tprof");
	look_at_directory("/sys/module/tprof/parameters");
	look_at_fdinfo(session);
	look_at_fdinfo(link);
	need(ioctl(session, TPROF_IOC_STOP) == 0, "it stops");
	look_at_rings(session);
	look_at_records(session);
	ledger = read_ledger(session, -1);
	check(closes(&ledger), "the ledger closes");
	diag("%zu bytes were looked at", looked_at);
	close(link);
	close(session);
	is(unload_source("tprof_burst"), 0, "the source goes");
	return done_testing();
}
