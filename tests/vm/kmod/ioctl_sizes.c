// SPDX-License-Identifier: GPL-2.0-only
/*
 * Structs of all sizes, on every call that has one: a size that is too small is EINVAL, an older struct, or a newer one
 * with zeros at its end, has the same effect as the current one, unknown data is E2BIG, and inaccessible memory is
 * EFAULT.
 *
 * vm: machines=x86-64,next
 */
#include <stddef.h>
#include <sys/mman.h>

#include "ktap.h"
#include "device.h"

/* Large enough for any struct, and ends before unmapped memory. */
static char *area;
static size_t page;

struct call {
	const char *name;
	unsigned long cmd;
	size_t size;
	bool on_device, out;
	void (*fill)(void *arg);	/* sets valid values other than 0 */
};

static void fill_event(void *arg)
{
	struct tprof_event *event = arg;

	strcpy(event->source, "timer");
	event->period = MS;
}

static void fill_period(void *arg)
{
	((struct tprof_period *)arg)->period = MS;
}

static void fill_target(void *arg)
{
	((struct tprof_target *)arg)->id = getpid();
}

static void fill_ledger(void *arg)
{
	((struct tprof_ledger_read *)arg)->cpu = -1;
}

static void fill_counts(void *arg)
{
	((struct tprof_counts *)arg)->cpu = -1;
}

static const struct call calls[] = {
	{ "INFO", TPROF_IOC_INFO, sizeof(struct tprof_module_info), true, true, NULL },
	{ "SOURCE", TPROF_IOC_SOURCE, sizeof(struct tprof_source_info), true, true, NULL },
	{ "CREATE", TPROF_IOC_CREATE, sizeof(struct tprof_create), true, false, NULL },
	{ "CONFIGURE", TPROF_IOC_CONFIGURE, sizeof(struct tprof_config), false, false, NULL },
	{ "ADD_EVENT", TPROF_IOC_ADD_EVENT, sizeof(struct tprof_event), false, false, fill_event },
	{ "PERIOD", TPROF_IOC_PERIOD, sizeof(struct tprof_period), false, false, fill_period },
	{ "ATTACH", TPROF_IOC_ATTACH, sizeof(struct tprof_target), false, false, fill_target },
	{ "DETACH", TPROF_IOC_DETACH, sizeof(struct tprof_target), false, false, fill_target },
	{ "LEDGER", TPROF_IOC_LEDGER, sizeof(struct tprof_ledger_read), false, true, fill_ledger },
	{ "COUNTS", TPROF_IOC_COUNTS, sizeof(struct tprof_counts), false, true, fill_counts },
	{ "SESSION", TPROF_IOC_SESSION, sizeof(struct tprof_session_info), false, true, NULL },
	{ "FILTER", TPROF_IOC_FILTER, sizeof(struct tprof_filter_info), false, true, NULL },
	{ "FILTER_ENABLE", TPROF_IOC_FILTER_ENABLE, sizeof(struct tprof_filter_enable), false, false, NULL },
	{ "SEAL", TPROF_IOC_SEAL, sizeof(struct tprof_seal), false, false, NULL },
};

/* Makes an argument that is valid except for its size, @behind bytes before the end, surrounded by zeros. */
static void *argument(const struct call *call, uint32_t size, size_t behind)
{
	char *arg = area + 4 * page - behind;
	char right[sizeof(struct tprof_ledger_read)] = { 0 };

	memset(area, 0, 4 * page);
	if (call->fill)
		call->fill(right);
	memcpy(right, &size, sizeof(size));
	memcpy(arg, right, behind < call->size ? behind : call->size);
	return arg;
}

/* Makes the call on a new session that has an event and a process; closes a returned descriptor. */
static long try(const struct call *call, int device, void *arg)
{
	struct tprof_target target = { .size = sizeof(target), .id = getpid() };
	int session = create_session(device), error;
	long result;

	need(session >= 0 && add_timer(session, MS) == 0, "a session is made");
	need(ioctl(session, TPROF_IOC_ATTACH, &target) == 0, "a process is attached");
	result = ioctl(call->on_device ? device : session, call->cmd, arg);
	error = errno;
	if (call->cmd == TPROF_IOC_CREATE && result >= 0)
		close(result);
	close(session);
	/* There is no filter to query; everything before that is the same. */
	if ((call->cmd == TPROF_IOC_FILTER || call->cmd == TPROF_IOC_FILTER_ENABLE) && result < 0 && error == ENOENT)
		return 0;
	errno = error;
	return result;
}

static void sizes(const struct call *call, int device)
{
	/* The first version of the struct, which callers of all versions have. */
	size_t least = call->cmd == TPROF_IOC_LEDGER ? offsetof(struct tprof_ledger_read, event) : call->size;
	char *arg;

	refuses(try(call, device, argument(call, 0, call->size)), EINVAL, "%s: no size", call->name);
	refuses(try(call, device, argument(call, 4, call->size)), EINVAL, "%s: only a size", call->name);
	refuses(try(call, device, argument(call, least - 1, call->size)), EINVAL, "%s: a byte short", call->name);
	check(try(call, device, argument(call, call->size, call->size)) >= 0, "%s: the right size", call->name);
	arg = argument(call, call->size + 8, call->size + 8);
	check(try(call, device, arg) >= 0, "%s: larger, with zeros", call->name);
	if (call->out)
		is(*(uint32_t *)arg, call->size + 8, "%s: the size stays the caller's", call->name);
	check(try(call, device, argument(call, page, page)) >= 0, "%s: a page, with zeros", call->name);
	arg = argument(call, call->size + 8, call->size + 8);
	arg[call->size + 7] = 1;
	refuses(try(call, device, arg), E2BIG, "%s: larger, with something", call->name);
	refuses(try(call, device, argument(call, page + 1, page + 8)), E2BIG, "%s: more than a page", call->name);
	refuses(try(call, device, argument(call, UINT32_MAX, call->size)), E2BIG, "%s: 4 GB", call->name);
}

static void pointers(const struct call *call, int device)
{
	char *arg;

	refuses(try(call, device, NULL), EFAULT, "%s: NULL", call->name);
	refuses(try(call, device, (void *)-8L), EFAULT, "%s: of the kernel", call->name);
	refuses(try(call, device, area + 4 * page), EFAULT, "%s: nothing there", call->name);
	refuses(try(call, device, argument(call, call->size, 4)), EFAULT, "%s: ends in it", call->name);
	refuses(try(call, device, argument(call, call->size + 8, call->size)), EFAULT, "%s: ends behind it",
		call->name);
	arg = argument(call, call->size, call->size);
	mprotect(area, 4 * page, PROT_READ);
	/* Without a filter, nothing is written. */
	if (call->out && call->cmd != TPROF_IOC_FILTER)
		refuses(try(call, device, arg), EFAULT, "%s: cannot be written", call->name);
	else
		check(try(call, device, arg) >= 0, "%s: is not written", call->name);
	mprotect(area, 4 * page, PROT_READ | PROT_WRITE);
}

int main(void)
{
	int device = open_device();

	page = sysconf(_SC_PAGESIZE);
	area = mmap(NULL, 5 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	need(area != MAP_FAILED && munmap(area + 4 * page, page) == 0, "memory with an end");
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		sizes(&calls[i], device);
		pointers(&calls[i], device);
	}
	is(open_sessions(device), 0, "no session is left");
	return done_testing();
}
