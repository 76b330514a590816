// SPDX-License-Identifier: GPL-2.0-only
/*
 * CONFIGURE accepts valid values and refuses others; the last successful call is in effect.
 *
 * vm: all=arm64
 */
#include "ktap.h"
#include "device.h"

static int session;

static int try(struct tprof_config config)
{
	config.size = sizeof(config);
	return ioctl(session, TPROF_IOC_CONFIGURE, &config);
}

#define takes(text, ...)	is(try((struct tprof_config){ __VA_ARGS__ }), 0, text)
#define turns(error, text, ...)	refuses(try((struct tprof_config){ __VA_ARGS__ }), error, text)

static void streams(void)
{
	uint32_t page = sysconf(_SC_PAGESIZE);

	takes("no stream");
	takes("the smallest stream", .stream_bytes = page);
	is(read_session(session).stream_bytes, page, "has that size");
	is(read_session(session).stream_cpus, sysconf(_SC_NPROCESSORS_CONF), "on each CPU");
	takes("a larger one", .stream_bytes = 64 * page);
	is(read_session(session).stream_bytes, 64 * page, "replaces it");
	turns(EINVAL, "less than a page", .stream_bytes = page / 2);
	turns(EINVAL, "a byte", .stream_bytes = 1);
	turns(EINVAL, "no power of two", .stream_bytes = 3 * page);
	turns(EINVAL, "a byte more than that", .stream_bytes = 4 * page + 1);
	turns(EINVAL, "more than the limit", .stream_bytes = 2 * TPROF_MAX_STREAM_BYTES);
	turns(EINVAL, "2 GB", .stream_bytes = 1U << 31);
	takes("woken when it is full", .stream_bytes = page, .stream_wakeup = page);
	turns(EINVAL, "woken later than that", .stream_bytes = page, .stream_wakeup = page + 1);
	turns(EINVAL, "woken without a stream", .stream_wakeup = 1);
	is(read_session(session).stream_bytes, page, "what was refused has changed nothing");
	takes("none again");
	is(read_session(session).stream_cpus, 0, "then there is none");
}

static void cpus(void)
{
	uint64_t here = 1, none = 0, far[64] = { 1 };
	uint64_t nr = sysconf(_SC_NPROCESSORS_CONF);
	uint64_t beyond = 1ULL << nr;

	takes("one CPU", .cpus = (uintptr_t)&here, .cpus_size = 8);
	takes("a mask of 4096 CPUs", .cpus = (uintptr_t)far, .cpus_size = sizeof(far));
	far[63] = 1ULL << 63;
	turns(EINVAL, "a CPU that cannot be, far away", .cpus = (uintptr_t)far, .cpus_size = sizeof(far));
	turns(EINVAL, "a CPU that cannot be", .cpus = (uintptr_t)&beyond, .cpus_size = 8);
	turns(EINVAL, "no CPU", .cpus = (uintptr_t)&none, .cpus_size = 8);
	turns(EINVAL, "half a word", .cpus = (uintptr_t)&here, .cpus_size = 4);
	turns(EINVAL, "a mask of no size", .cpus = (uintptr_t)&here);
	turns(EINVAL, "a size of no mask", .cpus_size = 8);
	turns(EINVAL, "4 GB of mask", .cpus = (uintptr_t)&here, .cpus_size = UINT32_MAX & ~7U);
	turns(EFAULT, "a mask that is not there", .cpus = 16, .cpus_size = 8);
	turns(EFAULT, "a mask of the kernel", .cpus = -8ULL, .cpus_size = 8);
}

static void modes(void)
{
	takes("user mode", .flags = TPROF_CONFIG_USER);
	takes("the kernel", .flags = TPROF_CONFIG_KERNEL);
	turns(EINVAL, "both", .flags = TPROF_CONFIG_USER | TPROF_CONFIG_KERNEL);
	takes("a name", .flags = TPROF_CONFIG_COMM, .comm = "spin");
	takes("the longest name", .flags = TPROF_CONFIG_COMM, .comm = "123456789012345");
	turns(EINVAL, "a name without an end", .flags = TPROF_CONFIG_COMM, .comm = "1234567890123456");
	turns(EINVAL, "a name without its flag", .comm = "spin");
	takes("to stall", .flags = TPROF_CONFIG_STALL, .stream_bytes = 4096);
	turns(EINVAL, "to stall without a stream", .flags = TPROF_CONFIG_STALL);
	takes("the least budget", .budget_permille = 1);
	takes("all of a CPU", .budget_permille = 1000);
	turns(EINVAL, "more than a CPU", .budget_permille = 1001);
	turns(EINVAL, "much more than a CPU", .budget_permille = UINT32_MAX);
}

int main(void)
{
	session = create_session(open_device());
	need(session >= 0, "a session is made");
	streams();
	cpus();
	modes();
	need(add_timer(session, MS) == 0 && ioctl(session, TPROF_IOC_START) == 0, "it starts");
	turns(EBUSY, "while it runs");
	turns(EINVAL, "nonsense is EINVAL even then", .flags = 1U << 31);
	need(ioctl(session, TPROF_IOC_STOP) == 0, "it stops");
	turns(EBUSY, "after it ran");
	return done_testing();
}
