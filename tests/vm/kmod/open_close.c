// SPDX-License-Identifier: GPL-2.0-only
/*
 * 1,000 sessions are opened and closed, some while they run, some with a stream: none of them leaks anything.
 *
 * vm: all=arm64
 */
#include "ktap.h"
#include "device.h"
#include "process.h"

#define ROUNDS 1000

/* Returns the memory of unreclaimable slabs, vmalloc and per-CPU allocations, in KiB. */
static long used_kib(void)
{
	static const char *const names[] = { "\nSUnreclaim:", "\nVmallocUsed:", "\nPercpu:" };
	const char *meminfo = read_file("/proc/meminfo");
	long sum = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *line = strstr(meminfo, names[i]);

		need(line, "meminfo has %s", names[i] + 1);
		sum += atol(line + strlen(names[i]));
	}
	return sum;
}

static void round_of(int device, int i, struct tprof_ledger_read *ledger)
{
	int session = create_session(device);

	need(session >= 0, "session %d is made", i);
	need(i % 3 || !configure(session, 0, 1 << 16), "session %d has a stream", i);
	need(add_timer(session, MS) == 0 && add_timer(session, 7 * MS) == 1, "session %d has events", i);
	need(i % 2 || !ioctl(session, TPROF_IOC_START), "session %d starts", i);
	if (i % 4 == 0)
		need(!ioctl(session, TPROF_IOC_STOP), "session %d stops", i);
	*ledger = read_ledger(session, -1);
	close(session);
}

int main(void)
{
	int device = open_device(), closed = 0;
	struct tprof_ledger_read ledger;
	long before, after;

	/* The first sessions allocate what is kept permanently, on this CPU. */
	pin(0);
	for (int i = 0; i < 100; i++)
		round_of(device, i, &ledger);
	before = used_kib();
	for (int i = 0; i < ROUNDS; i++) {
		round_of(device, i, &ledger);
		closed += closes(&ledger);
	}
	is(closed, ROUNDS, "the ledger of each of them closes");
	is(open_sessions(device), 0, "none is left");
	/* With kmemleak and KASAN, the kernel allocates metadata, and keeps freed memory for a while. */
	if (kernel_finds_leaks()) {
		check(true, "their memory comes back # SKIP kmemleak looks for it");
		return done_testing();
	}
	/* Memory may be freed with a delay; a leak of a whole session each time would be 4 MB. */
	for (int i = 0; (after = used_kib()) > before + 1000 && i < 50; i++)
		usleep(100000);
	check(after <= before + 1000, "their memory comes back: less than a KiB of each is missing");
	diag("%ld KiB before, %ld KiB after", before, after);
	return done_testing();
}
