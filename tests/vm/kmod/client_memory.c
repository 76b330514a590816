// SPDX-License-Identifier: GPL-2.0-only
/*
 * A client whose page faults never end, here by userfaultfd, blocks only itself: its session can be listed, stopped and
 * queried, and other sessions start and end.
 *
 * vm: all=arm64
 */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <linux/userfaultfd.h>

#include "ktap.h"
#include "device.h"
#include "process.h"

static int device, session;
static size_t page;

/* A page whose faults block until release(). */
struct lazy {
	int fd;
	char *page;
};

static struct lazy lazy_page(void)
{
	struct lazy lazy = { .fd = syscall(SYS_userfaultfd, O_CLOEXEC) };
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MISSING };

	lazy.page = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	reg.range.start = (uintptr_t)lazy.page;
	reg.range.len = page;
	need(lazy.fd >= 0 && lazy.page != MAP_FAILED && ioctl(lazy.fd, UFFDIO_API, &api) == 0 &&
	     ioctl(lazy.fd, UFFDIO_REGISTER, &reg) == 0, "a page that comes late");
	return lazy;
}

/* Waits until a thread blocks on the page. */
static void await_fault(const struct lazy *lazy)
{
	struct uffd_msg message;

	need(read(lazy->fd, &message, sizeof(message)) == sizeof(message), "somebody waits for it");
}

static void release(struct lazy *lazy)
{
	struct uffdio_zeropage zero = { .range = { .start = (uintptr_t)lazy->page, .len = page } };

	need(ioctl(lazy->fd, UFFDIO_ZEROPAGE, &zero) == 0, "the page comes");
}

struct job {
	const char *name;
	int (*work)(char *page);
	struct lazy lazy;
	int result;
};

static int configure_cpus(char *at)
{
	struct tprof_config config = { .size = sizeof(config), .cpus = (uintptr_t)at, .cpus_size = 8 };

	/* The released page has zeros, an empty set of CPUs. */
	return ioctl(session, TPROF_IOC_CONFIGURE, &config) == -1 && errno == EINVAL ? 0 : -1;
}

static int add_attr(char *at)
{
	struct tprof_event event = {
		.size = sizeof(event), .source = "perf", .attr = (uintptr_t)at, .attr_size = PERF_ATTR_SIZE_VER0,
			.period = 1,
	};

	/* The released page has zeros, the event cycles, which not every machine has. */
	return ioctl(session, TPROF_IOC_ADD_EVENT, &event) == 1 || errno == EOPNOTSUPP ? 0 : -1;
}

static int read_into(char *at)
{
	return read(session, at, page) > 0 ? 0 : -1;
}

static void *run(void *arg)
{
	struct job *job = arg;

	job->result = job->work(job->lazy.page);
	return NULL;
}

/* Calls by others in the meantime. If one of them blocked, the test would time out. */
static void others(const char *name)
{
	char start[32];
	int other = create_session(device);

	need(other >= 0 && add_timer(other, MS) == 0 && ioctl(other, TPROF_IOC_START) == 0, "another session");
	snprintf(start, sizeof(start), "\n%llu\t", read_session(session).id);
	check(strstr(read_file("/sys/kernel/debug/tprof/sessions"), start), "%s: the session is listed", name);
	is(read_ledger(session, -1).fired.samples, 0, "%s: tells its ledger", name);
	is(ioctl(session, TPROF_IOC_STOP), 0, "%s: can be stopped", name);
	refuses(configure(session, 0, 4096), EBUSY, "%s: does not take other streams", name);
	is(close(other), 0, "%s: others are closed", name);
	is(open_sessions(device), 1, "%s: and gone", name);
}

static void blocked(struct job job, bool reads)
{
	pthread_t thread;

	job.lazy = lazy_page();
	need(!pthread_create(&thread, NULL, run, &job), "a thread");
	await_fault(&job.lazy);
	if (reads) {
		others(job.name);
	} else {
		int other = create_session(device);

		check(other >= 0 && read_session(session).nr_events == 1, "%s: the session can be asked", job.name);
		check(read_file("/sys/kernel/debug/tprof/sessions"), "%s: sessions are listed", job.name);
		close(other);
	}
	release(&job.lazy);
	pthread_join(thread, NULL);
	is(job.result, 0, "%s: goes on when the memory comes", job.name);
	close(job.lazy.fd);
}

int main(void)
{
	page = getpagesize();
	device = open_device();
	session = create_session(device);
	need(session >= 0 && configure(session, 0, 1 << 16) == 0 && add_timer(session, MS) == 0, "a session");
	blocked((struct job){ .name = "CPUs", .work = configure_cpus }, false);
	blocked((struct job){ .name = "attributes", .work = add_attr }, false);
	need(write(session, "mark", 4) == 4, "a mark");
	blocked((struct job){ .name = "read", .work = read_into }, true);
	close(session);
	return done_testing();
}
