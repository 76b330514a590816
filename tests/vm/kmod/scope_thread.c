// SPDX-License-Identifier: GPL-2.0-only
/*
 * Scopes: one thread, threads by name, user mode only, the kernel only, some CPUs only.
 *
 * vm: all=arm64
 */
#include <pthread.h>

#include "ktap.h"
#include "device.h"
#include "process.h"
#include "scope.h"

#define PERIOD	500000

static int device;

static int session_with(struct tprof_config config)
{
	int session = create_session(device);

	config.size = sizeof(config);
	need(session >= 0 && ioctl(session, TPROF_IOC_CONFIGURE, &config) == 0, "a session");
	need(add_timer(session, PERIOD) == 0, "has a timer");
	return session;
}

/* A thread with a name of its own that works on request, and stores its CPU time. */
struct worker {
	pthread_t thread;
	pid_t tid;
	uint64_t passed_ns;
	pthread_barrier_t barrier;
};

static void *work(void *arg)
{
	struct worker *w = arg;
	uint64_t before;

	prctl(PR_SET_NAME, "worker thread");
	w->tid = gettid();
	pthread_barrier_wait(&w->barrier);
	pthread_barrier_wait(&w->barrier);
	before = thread_time_ns();
	burn_cpu(300 * MS);
	w->passed_ns = thread_time_ns() - before;
	return NULL;
}

/* Two threads work; one is in scope, or, by name, both. */
static void threads(bool by_name)
{
	int session = by_name ? session_with((struct tprof_config){ .flags = TPROF_CONFIG_COMM,
		.comm = "worker thread" }) :
				session_with((struct tprof_config){ 0 });
	struct worker workers[2] = { 0 };
	uint64_t truth;

	for (int i = 0; i < 2; i++) {
		pthread_barrier_init(&workers[i].barrier, NULL, 2);
		need(!pthread_create(&workers[i].thread, NULL, work, &workers[i]), "a thread");
		pthread_barrier_wait(&workers[i].barrier);
	}
	need(by_name || attach(session, TPROF_TARGET_THREAD, workers[1].tid) == 0, "one of them is in scope");
	need(ioctl(session, TPROF_IOC_START) == 0, "it starts");
	for (int i = 0; i < 2; i++)
		pthread_barrier_wait(&workers[i].barrier);
	burn(20 * MS);
	for (int i = 0; i < 2; i++)
		pthread_join(workers[i].thread, NULL);
	need(ioctl(session, TPROF_IOC_STOP) == 0, "it stops");
	truth = workers[1].passed_ns + (by_name ? workers[0].passed_ns : 0);
	same_time(seen_ns(session), truth, PERIOD, "%s: what is seen is its CPU time", by_name ? "by name" :
		  "one thread");
	close(session);
}

static uint64_t seen_when_stopped(int session)
{
	need(ioctl(session, TPROF_IOC_STOP) == 0, "it stops");
	return seen_ns(session);
}

/* One thread works in the kernel, one in user mode: the sum of the sessions for the two modes is the whole time. */
static void modes(void)
{
	int all = session_with((struct tprof_config){ 0 });
	int user = session_with((struct tprof_config){ .flags = TPROF_CONFIG_USER });
	int kernel = session_with((struct tprof_config){ .flags = TPROF_CONFIG_KERNEL });
	const int sessions[] = { all, user, kernel };
	static char buffer[1 << 20];
	uint64_t seen, seen_user, seen_kernel;
	int zero = open("/dev/zero", O_RDONLY);

	for (int i = 0; i < 3; i++)
		need(attach(sessions[i], TPROF_TARGET_PROCESS, getpid()) == 0 &&
		     ioctl(sessions[i], TPROF_IOC_START) == 0,
		     "it starts");
	burn_cpu(300 * MS);
	for (uint64_t end = thread_time_ns() + 300 * MS; thread_time_ns() < end;)
		need(read(zero, buffer, sizeof(buffer)) == sizeof(buffer), "zeros");
	seen = seen_when_stopped(all);
	seen_user = seen_when_stopped(user);
	seen_kernel = seen_when_stopped(kernel);
	same_time(seen_user + seen_kernel, seen, PERIOD, "user and kernel together are all");
	check(seen_user > 150 * MS, "user mode is seen");
	check(seen_kernel > 250 * MS, "so is the kernel");
	diag("user %llu, kernel %llu of %llu ns", (unsigned long long)seen_user, (unsigned long long)seen_kernel,
	     (unsigned long long)seen);
	for (int i = 0; i < 3; i++)
		close(sessions[i]);
	close(zero);
}

static void cpus(void)
{
	uint64_t mask = 2;
	int session = session_with((struct tprof_config){ .cpus = (uintptr_t)&mask, .cpus_size = sizeof(mask) });

	need(ioctl(session, TPROF_IOC_START) == 0, "it starts");
	burn(100 * MS);
	need(ioctl(session, TPROF_IOC_STOP) == 0, "it stops");
	check(read_ledger(session, 1).fired.samples > 0, "the CPU that was asked for is sampled");
	is(read_ledger(session, 0).fired.samples, 0, "no other is");
	is(read_counts(session, 0, 0).value, 0, "nor counted");
	is(read_ledger(session, -1).outcomes[TPROF_OUTCOME_OUT_OF_SCOPE].samples, 0,
	   "nothing is out of scope for that");
	close(session);
}

int main(void)
{
	device = open_device();
	threads(false);
	threads(true);
	modes();
	cpus();
	return done_testing();
}
