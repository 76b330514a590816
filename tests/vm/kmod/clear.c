// SPDX-License-Identifier: GPL-2.0-only
/*
 * CLEAR resets the ledger, the counts and the streams, and increments the epoch. It is called 500 times while all CPUs
 * are sampled: the ledger closes after each call, and belongs to the epoch that is read with it.
 *
 * vm: all=arm64
 */
#include <pthread.h>
#include <stdatomic.h>

#include "ktap.h"
#include "device.h"
#include "process.h"
#include "stream.h"

static int session;
static atomic_bool over;
static atomic_uint nr_reads, nr_open, nr_backwards;

/* Within an epoch the ledger only grows. */
static void *reader(void *unused)
{
	struct tprof_ledger_read last = { 0 };

	while (!over) {
		struct tprof_ledger_read now = read_ledger(session, -1);

		nr_open += !closes(&now);
		nr_backwards += now.epoch < last.epoch ||
				(now.epoch == last.epoch && now.fired.samples < last.fired.samples);
		last = now;
		nr_reads++;
	}
	return unused;
}

static void running(void)
{
	struct tprof_ledger_read ledger;
	pthread_t thread;
	int right = 0;

	need(add_timer(session, 100000) == 0 && ioctl(session, TPROF_IOC_START) == 0, "it starts");
	need(!pthread_create(&thread, NULL, reader, NULL), "a thread");
	for (uint32_t epoch = 1; epoch <= 500; epoch++) {
		need(ioctl(session, TPROF_IOC_CLEAR) == 0, "CLEAR");
		ledger = read_ledger(session, -1);
		right += ledger.epoch == epoch && closes(&ledger);
		burn(MS);
	}
	is(right, 500, "500 times it is the next epoch, and the ledger closes");
	over = true;
	pthread_join(thread, NULL);
	check(nr_reads > 100, "it was read %u times meanwhile", nr_reads);
	is(nr_open, 0, "it closed each time");
	is(nr_backwards, 0, "within an epoch it never went back");
}

static void stopped(void)
{
	struct tprof_ledger_read ledger;
	static struct records r;
	struct mapped m;

	need(ioctl(session, TPROF_IOC_STOP) == 0, "it stops");
	ledger = read_ledger(session, -1);
	need(write(session, "mark", 4) == 4, "a mark");
	is(ioctl(session, TPROF_IOC_CLEAR), 0, "CLEAR of a stopped one");
	is(read_ledger(session, -1).epoch, ledger.epoch + 1, "is an epoch too");
	ledger = read_ledger(session, -1);
	is(ledger.fired.samples + ledger.fired.weight + ledger.idle.samples + ledger.idle.weight, 0,
	   "nothing fired in it");
	check(closes(&ledger), "the ledger closes");
	is(read_counts(session, 0, -1).value, 0, "nothing was counted");
	is(read_counts(session, 0, -1).enabled_ns, 0, "for no time");
	is(read_records(session, &r, sizeof(r.bytes)), 0, "there is nothing to read");
	need(write(session, "mark", 4) == 4, "a mark");
	is(read_records(session, &r, sizeof(r.bytes)), 32, "what comes after it can be read");
	need(write(session, "mark", 4) == 4, "another one");
	m = map_stream(session, sched_getcpu(), 1 << 16);
	check(m.state->head != m.control->tail, "is there");
	is(ioctl(session, TPROF_IOC_CLEAR), 0, "CLEAR of a mapped one");
	is(m.control->tail, m.state->head, "the tail is at the head");
	unmap_stream(&m);
}

int main(void)
{
	session = create_session(open_device());
	need(session >= 0 && configure(session, 0, 1 << 16) == 0, "a session with a stream");
	need(fcntl(session, F_SETFL, O_NONBLOCK) == 0, "it does not wait");
	running();
	pin(0);
	stopped();
	close(session);
	return done_testing();
}
