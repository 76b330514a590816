// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measures the cost of the module and its sessions on a machine with many CPUs: memory, and the duration of a stop. The
 * argument is the number of CPUs that are busy in the last part. Loads the module itself. Prints
 *
 *	@memory CPUS MODULE SESSION	bytes for each CPU: of the module, and of a running session without a stream
 *	@stop CPUS BUSY MEDIAN WORST	milliseconds
 */
#include <fcntl.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "guest.h"
#include "uapi/tprof_device.h"

#define NR_SESSIONS	512
#define NR_STOPS	21
#define NR_LOADS	7
#define SETTLE_US	2000000

static int device;
static long nr_cpus;

static int session_start(uint64_t period_ns)
{
	struct tprof_create create = { .size = sizeof(create) };
	struct tprof_event event = { .size = sizeof(event), .source = "timer", .period = period_ns };
	int fd = ioctl(device, TPROF_IOC_CREATE, &create);

	if (fd < 0 || ioctl(fd, TPROF_IOC_ADD_EVENT, &event) || ioctl(fd, TPROF_IOC_START))
		fail("a session cannot be started");
	return fd;
}

static void put(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	if (!file || fputs(text, file) < 0 || fclose(file))
		fail("%s cannot be written", path);
}

/*
 * Returns the free memory, including the free lists of the CPUs, after the kernel has done deferred frees and updated
 * its counters.
 */
static long free_bytes(void)
{
	char line[128];
	long pages = 0, nr;
	FILE *file;

	usleep(SETTLE_US);
	put("/proc/sys/vm/drop_caches", "3");
	put("/proc/sys/vm/stat_refresh", "1");
	file = fopen("/proc/zoneinfo", "r");
	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, " nr_free_pages %ld", &nr) == 1 || sscanf(line, " count: %ld", &nr) == 1)
			pages += nr;
	}
	if (!file || fclose(file) || !pages)
		fail("/proc/zoneinfo cannot be read");
	return pages * sysconf(_SC_PAGESIZE);
}

static void load_module(void)
{
	if (system("insmod /bench/tprof.ko cpu_time_max_percent=100"))
		fail("the module does not load");
	device = open(TPROF_DEVICE, O_RDWR | O_CLOEXEC);
	if (device < 0)
		fail("the device cannot be opened");
}

static int by_bytes(const void *a, const void *b)
{
	long x = *(const long *)a, y = *(const long *)b;

	return (x > y) - (x < y);
}

/*
 * Returns the memory of the module, and leaves it loaded. The median, because the kernel makes other allocations too.
 */
static long module_bytes(void)
{
	long bytes[NR_LOADS];

	for (int i = 0; i < NR_LOADS; i++) {
		long without = free_bytes();

		load_module();
		bytes[i] = without - free_bytes();
		if (i + 1 < NR_LOADS && (close(device) || system("rmmod tprof")))
			fail("the module cannot be unloaded");
	}
	qsort(bytes, NR_LOADS, sizeof(bytes[0]), by_bytes);
	return bytes[NR_LOADS / 2];
}

static void measure_memory(void)
{
	const struct rlimit files = { NR_SESSIONS + 64, NR_SESSIONS + 64 };
	static int fds[NR_SESSIONS];
	long module, loaded, session;

	if (setrlimit(RLIMIT_NOFILE, &files))
		fail("not enough descriptors");
	module = module_bytes();
	loaded = free_bytes();
	for (int i = 0; i < NR_SESSIONS; i++)
		fds[i] = session_start(1000 * MS);
	session = (loaded - free_bytes()) / NR_SESSIONS;
	printf("@memory %ld %ld %ld\n", nr_cpus, module / nr_cpus, session / nr_cpus);
	for (int i = 0; i < NR_SESSIONS; i++)
		close(fds[i]);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void measure_stops(int busy)
{
	double ms[NR_STOPS];

	for (int i = 0; i < NR_STOPS; i++) {
		int fd = session_start(1 * MS);
		uint64_t began;

		usleep(100000);
		began = now_ns();
		if (ioctl(fd, TPROF_IOC_STOP))
			fail("a session cannot be stopped");
		ms[i] = (double)(now_ns() - began) / MS;
		close(fd);
	}
	qsort(ms, NR_STOPS, sizeof(ms[0]), by_value);
	printf("@stop %ld %d %.1f %.1f\n", nr_cpus, busy, ms[NR_STOPS / 2], ms[NR_STOPS - 1]);
}

static void *spin(void *unused)
{
	for (;;)
		__asm__ volatile("");
	return unused;
}

int main(int argc, char **argv)
{
	int busy = argc > 1 ? atoi(argv[1]) : 0;
	pthread_t thread;

	nr_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	measure_memory();
	usleep(SETTLE_US);
	measure_stops(0);
	for (int i = 0; i < busy; i++) {
		if (pthread_create(&thread, NULL, spin, NULL))
			fail("no threads");
	}
	usleep(SETTLE_US);
	measure_stops(busy);
	return 0;
}
