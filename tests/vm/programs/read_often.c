// SPDX-License-Identifier: GPL-2.0-only
/*
 * read_often EVENT PORTION FILE: samples EVENT with a period of 1000 on CPU 1 with the module, and reads the ledger all
 * the time, while CPU 1 writes PORTION to FILE 200 times. Prints the samples that fired, and those that were lost.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tprof.h"

#define NR_PORTIONS 200

struct firing {
	const char *portion;
	const char *path;
	atomic_bool ended;
};

static void pin(int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		perror("sched_setaffinity");
}

static void *fire(void *arg)
{
	struct firing *firing = arg;
	int fd = open(firing->path, O_WRONLY | O_CLOEXEC);

	pin(1);
	for (int i = 0; i < NR_PORTIONS; i++) {
		if (pwrite(fd, firing->portion, strlen(firing->portion), 0) < 0)
			perror(firing->path);
		usleep(1000);
	}
	close(fd);
	firing->ended = true;
	return NULL;
}

static int fail(const char *reason)
{
	fprintf(stderr, "%s\n", reason);
	return 1;
}

int main(int argc, char **argv)
{
	struct tprof_session_opts opts = {
		.sz = sizeof(opts), .engine = "kmod", .period = 1000, .cpus = "1",
	};
	struct tprof_ledger ledger = { .sz = sizeof(ledger) };
	struct tprof_error error = { 0 };
	struct firing firing = { 0 };
	struct tprof_session *session;
	pthread_t thread;

	if (argc != 4)
		return fail("usage: read_often EVENT PORTION FILE");
	opts.event = argv[1];
	firing.portion = argv[2];
	firing.path = argv[3];
	pin(0);
	session = tprof_session__open(&opts, &error);
	if (!session)
		return fail(error.text);
	if (tprof_session__add_filter(session, tprof_filter__open("top", &error)) || tprof_session__start(session))
		return fail(tprof_session__error(session));
	pthread_create(&thread, NULL, fire, &firing);
	while (!firing.ended) {
		if (tprof_session__ledger(session, &ledger))
			return fail(tprof_session__error(session));
	}
	pthread_join(thread, NULL);
	if (tprof_session__stop(session) || tprof_session__ledger(session, &ledger))
		return fail(tprof_session__error(session));
	printf("%llu fired, %llu lost\n", (unsigned long long)ledger.fired.samples,
	       (unsigned long long)tprof_ledger__lost(&ledger).samples);
	tprof_session__close(session);
	return 0;
}
