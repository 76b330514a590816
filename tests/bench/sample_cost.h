/* SPDX-License-Identifier: GPL-2.0-only */
/* The rows of the measurement of instructions per sample, and the clients of a row: the samplers. */
#ifndef TPROF_BENCH_SAMPLE_COST_H
#define TPROF_BENCH_SAMPLE_COST_H

#include <stdint.h>
#include <sys/types.h>

#include "guest.h"

#define PERIOD_NS	25000		/* 40,000 samples a second */
#define MAX_CLIENTS	32
#define MAX_FRAMES	127
#define COPIED_BYTES	8192		/* of a user stack */
#define CLIENTS_DO_NOT_TELL UINT64_MAX

struct clients;

/* One measurement. Nothing is sampled if neither engine nor start is set. */
struct row {
	const char *name;
	const char *engine;		/* sessions of the library on this engine ... */
	const char *filter;		/* ... with this filter, an object of filters/ beside the program ... */
	const char *event;		/* ... on this event; NULL: cpu-clock */
	unsigned int nr;		/* clients */
	unsigned int rarer;		/* factor of the usual period; 0 like 1 */
	unsigned int slow;		/* the number of clients, the last ones, with only every thousandth sample */
	unsigned int elsewhere;		/* the number of clients, the last ones, that sample another process */
	unsigned int scope;		/* the number of processes in scope; 0: all, unless elsewhere */
	int in_kernel;			/* the work runs in kernel mode */
	int nmi;			/* samples are taken in NMIs */
	int cold;			/* the module has not seen the call stacks of the work before */
	void (*start)(struct clients *clients); /* starts clients that are no sessions of the library */
	void (*tell)(const struct row *row, unsigned int frames); /* prints additional results */
};

struct tprof_session;
struct bpf_object;
struct bpf_link;

/* Processes that only sleep. */
struct crowd {
	unsigned int nr;
	pid_t *pids;			/* all of them, first the ancestor of the others, and this process */
};

struct clients {
	const struct row *row;
	struct crowd crowd;		/* the processes in scope, with or without this process */
	struct tprof_session *sessions[MAX_CLIENTS];
	int fds[MAX_CLIENTS];		/* sessions of the module without the library; -1: none */
	struct bpf_object *object;
	struct bpf_link *link;
	void *ring;			/* of a perf event; NULL: none */
	size_t ring_bytes;
};

extern const struct row rows[];		/* the last one has no name */

/* The period of the first client of a row, in ns. */
unsigned int row_period(const struct row *row);
void clients_start(struct clients *clients, const struct row *row);
void clients_stop(struct clients *clients);
/* Returns the number of samples of the first client, or CLIENTS_DO_NOT_TELL. */
uint64_t clients_fired(const struct clients *clients);
/* Counts the samples of the first client by the length of their call stack; the last element includes longer ones. */
void clients_chains(const struct clients *clients, uint64_t samples[MAX_FRAMES + 1]);

/* Prints a line of the result, as described in sample_cost.c. */
void print_cost(const char *name, unsigned int clients, double instructions, double samples);

/* Writes a parameter of a module. */
__attribute__((format(printf, 3, 4)))
void module_set(const char *module, const char *name, const char *format, ...);
void module_get(const char *module, const char *name, char *text, int size);

/* @nr 0: no processes. */
void crowd_start(struct crowd *crowd, unsigned int nr);
void crowd_stop(struct crowd *crowd);

#endif
