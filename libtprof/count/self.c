// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * Counters of the calling thread: one group of perf events, each with its mapped page, from which user space reads the
 * hardware counter if the kernel permits it.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/sized.h"
#include "count_modes.h"
#include "event/event.h"
#include "self_pmc.h"

/* Marks the page that children of the process see as zeros. */
#define THIS_PROCESS 1

struct self_event {
	struct event event;
	int fd;					/* -1: not open */
	struct perf_event_mmap_page *page;	/* NULL: not mapped */
};

struct tprof_self {
	pthread_t thread;			/* that opened it */
	pid_t tid;				/* its id */
	const uint32_t *process;		/* THIS_PROCESS in the process that opened it, 0 in its children */
	struct self_event events[TPROF_SELF_MAX_EVENTS];
	size_t nr_events;
	size_t page_size;
	bool kernel, is_direct;
};

/* A child has no mappings of the pages of the events, and they are not its own. */
static bool is_own_process(const struct tprof_self *self)
{
	return *(const volatile uint32_t *)self->process == THIS_PROCESS;
}

static int mark_process(struct tprof_self *self, struct tprof_error *error)
{
	uint32_t *page = mmap(NULL, self->page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		return error_set(error, errno, "counters: %s", strerror(errno));
	self->process = page;
	if (madvise(page, self->page_size, MADV_WIPEONFORK))
		return error_set(error, errno, "counters: madvise: %s", strerror(errno));
	*page = THIS_PROCESS;
	return 0;
}

static int open_once(const struct tprof_self *self, const struct event *event, uint64_t config1, bool leaves_kernel)
{
	struct perf_event_attr attr;
	int leader = self->nr_events ? self->events[0].fd : -1;
	long fd;

	event_attr_init(&attr, event, 0);
	attr.config1 |= config1;
	attr.read_format |= PERF_FORMAT_GROUP;
	attr.disabled = leader < 0;
	attr.exclude_kernel |= leaves_kernel;
	attr.exclude_hv |= leaves_kernel;
	fd = syscall(SYS_perf_event_open, &attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : (int)fd;
}

/* An event that cannot be read from user space is opened without this request. */
static int open_event(const struct tprof_self *self, const struct event *event)
{
	bool leaves_kernel = !self->kernel && !count_modes_are_all(event);
	int fd = -EINVAL;

	if (event->type == EVENT_TYPE_SOURCE)
		return -EOPNOTSUPP;
	if (SELF_PMC_CONFIG1 && !count_modes_are_all(event))
		fd = open_once(self, event, SELF_PMC_CONFIG1, leaves_kernel);
	if (fd < 0)
		fd = open_once(self, event, 0, leaves_kernel);
	if (!self->kernel && count_modes_may_help(event, fd) && !count_modes_is_kernel(event))
		fd = open_once(self, event, 0, true);
	return fd;
}

/* Some PMUs count all modes only, and refuse to leave one out. */
static bool needs_kernel(const struct tprof_self *self, const struct event *event)
{
	int fd = self->kernel || count_modes_are_all(event) ? -EINVAL : open_once(self, event, 0, false);

	if (fd >= 0)
		close(fd);
	return !event_is_missing(fd);
}

static int refuse_rights(const struct tprof_self *self, const struct event *event, struct tprof_error *error)
{
	error_set(error, EPERM, "event %s: this thread may not count it", event->name);
	if (count_modes_is_kernel(event))
		error_hint(error, "it occurs in the kernel: run it as root or with CAP_PERFMON, or "
			   "sysctl kernel.perf_event_paranoid=1");
	else
		error_hint(error, self->kernel ? "leave kernel out, or run it as root or with CAP_PERFMON" :
			   "sysctl kernel.perf_event_paranoid=2");
	return -EPERM;
}

static int refuse(const struct tprof_self *self, const struct event *event, int err, struct tprof_error *error)
{
	const char *name = event->name;

	if (err == -EACCES || err == -EPERM)
		return refuse_rights(self, event, error);
	if (event_is_missing(err) && event->type != EVENT_TYPE_SOURCE && needs_kernel(self, event)) {
		error_set(error, EOPNOTSUPP, "event %s: its PMU cannot leave out the kernel", name);
		error_hint(error, "set kernel, which may need privileges");
		return -EOPNOTSUPP;
	}
	if (event_is_missing(err) && self->nr_events) {
		error_set(error, EINVAL, "event %s: cannot be counted together with %s", name,
			  self->events[0].event.name);
		error_hint(error, "count them one after the other");
		return -EINVAL;
	}
	if (event_is_missing(err)) {
		error_set(error, EOPNOTSUPP, "event %s: this machine does not have it", name);
		error_hint(error, "tprof list events");
		return -EOPNOTSUPP;
	}
	error_set(error, -err, "event %s: cannot be counted: %s", name, strerror(-err));
	error_hint_files(error, -err);
	return err;
}

static int add_event(struct tprof_self *self, const char *name, struct tprof_error *error)
{
	struct self_event *added = &self->events[self->nr_events];
	void *page;
	int err = event_parse(&added->event, name, error);

	if (!err)
		err = count_modes_check(&added->event, error);
	if (err)
		return err;
	added->fd = open_event(self, &added->event);
	if (added->fd < 0)
		return refuse(self, &added->event, added->fd, error);
	self->nr_events++;
	/* Without the page, which counts as locked memory, the event is read with read(2). */
	page = mmap(NULL, self->page_size, PROT_READ, MAP_SHARED, added->fd, 0);
	added->page = page == MAP_FAILED ? NULL : page;
	return 0;
}

static int add_events(struct tprof_self *self, const char *const *names, size_t nr, struct tprof_error *error)
{
	int err = 0;

	for (size_t i = 0; i < nr && !err; i++)
		err = names[i] ? add_event(self, names[i], error) :
				 error_set(error, EINVAL, "events[%zu] is NULL", i);
	return err;
}

/* Those of the hardware that this machine has and that count together; if there are none, CPU time. */
static int add_default_events(struct tprof_self *self, struct tprof_error *error)
{
	static const char *const hardware[] = { "instructions", "cycles" }, *const clock[] = { "task-clock" };
	struct tprof_error tried = { 0 };

	for (size_t i = 0; i < 2; i++) {
		int err = add_event(self, hardware[i], &tried);

		if (!err || err == -EOPNOTSUPP || err == -EINVAL)
			continue;
		if (error)
			*error = tried;
		return err;
	}
	return self->nr_events ? 0 : add_events(self, clock, 1, error);
}

static int configure(struct tprof_self *self, const struct tprof_self_opts *opts, struct tprof_error *error)
{
	int err;

	if (!opts->events && opts->nr_events)
		return error_set(error, EINVAL, "events is NULL, but nr_events is %zu", opts->nr_events);
	if (opts->nr_events > TPROF_SELF_MAX_EVENTS)
		return error_set(error, E2BIG, "events: at most %d can be counted at once", TPROF_SELF_MAX_EVENTS);
	self->kernel = opts->kernel;
	err = opts->nr_events ? add_events(self, opts->events, opts->nr_events, error) :
				add_default_events(self, error);
	if (!err && ioctl(self->events[0].fd, PERF_EVENT_IOC_ENABLE, 0))
		err = error_set(error, errno, "event %s: cannot be enabled: %s", self->events[0].event.name,
				strerror(errno));
	self->is_direct = !err && SELF_HAS_PMC;
	/* The index is 0 if the administrator has switched this off (perf_user_access on arm64, rdpmc on x86-64). */
	for (size_t i = 0; i < self->nr_events; i++)
		self->is_direct &= self->events[i].page && self->events[i].page->cap_user_rdpmc &&
				   self->events[i].page->index;
	return err;
}

struct tprof_self *tprof_self__open(const struct tprof_self_opts *opts, struct tprof_error *error)
{
	struct tprof_self_opts known = { .sz = sizeof(known) };
	struct tprof_self *self = calloc(1, sizeof(*self));
	int err = opts ? sized_error(error, sized_take(&known, sizeof(known), opts), "self options") : 0;

	if (!err && !self)
		err = error_set(error, ENOMEM, "counters: not enough memory");
	if (!err) {
		self->thread = pthread_self();
		self->tid = gettid();
		self->page_size = (size_t)sysconf(_SC_PAGESIZE);
		err = mark_process(self, error);
	}
	if (!err)
		err = configure(self, &known, error);
	if (!err)
		return self;
	tprof_self__close(self);
	errno = -err;
	return NULL;
}

void tprof_self__close(struct tprof_self *self)
{
	if (!self)
		return;
	/* The leader last. */
	for (size_t i = self->nr_events; i-- > 0;) {
		if (self->events[i].page && is_own_process(self))
			munmap(self->events[i].page, self->page_size);
		close(self->events[i].fd);
	}
	if (self->process)
		munmap((void *)self->process, self->page_size);
	free(self);
}

/*
 * Reads one counter. The kernel changes lock whenever it changes the page, on this CPU. Returns false if the event has
 * no counter at this moment, or had none for a part of the time.
 */
static bool read_page(const volatile struct perf_event_mmap_page *page, uint64_t *value)
{
	uint64_t count;
	uint32_t lock, index;
	bool always;

	do {
		lock = page->lock;
		atomic_signal_fence(memory_order_seq_cst);
		index = page->index;
		count = (uint64_t)page->offset;
		always = page->time_enabled == page->time_running;
		if (index && page->cap_user_rdpmc) {
			unsigned int unused = 64 - page->pmc_width;

			/* The kernel lets the counter begin at a negative number. */
			count += (uint64_t)((int64_t)(self_pmc_read(index - 1) << unused) >> unused);
		}
		atomic_signal_fence(memory_order_seq_cst);
	} while (page->lock != lock);
	*value = count;
	return index && always;
}

static int read_group(const struct tprof_self *self, uint64_t *values)
{
	uint64_t words[3 + TPROF_SELF_MAX_EVENTS];
	ssize_t size = read(self->events[0].fd, words, sizeof(words));

	if (size < 0)
		return -errno;
	if (size != (ssize_t)((3 + self->nr_events) * sizeof(words[0])) || words[0] != self->nr_events)
		return -EIO;
	memcpy(values, words + 3, self->nr_events * sizeof(*values));
	return words[1] == words[2] ? 0 : -EAGAIN;
}

int tprof_self__read(struct tprof_self *self, uint64_t *values)
{
	bool is_read = self->is_direct;

	if (!is_own_process(self) || !pthread_equal(self->thread, pthread_self()))
		return -EINVAL;
	for (size_t i = 0; i < self->nr_events && is_read; i++)
		is_read = read_page(self->events[i].page, &values[i]);
	if (is_read)
		return 0;
	/* If the thread has ended, another may be at its address. The pages of its events then have no counter. */
	return gettid() == self->tid ? read_group(self, values) : -EINVAL;
}

size_t tprof_self__nr_events(const struct tprof_self *self)
{
	return self->nr_events;
}

const char *tprof_self__event(const struct tprof_self *self, size_t event)
{
	return event < self->nr_events ? self->events[event].event.name : NULL;
}

bool tprof_self__is_direct(const struct tprof_self *self)
{
	return self->is_direct;
}
