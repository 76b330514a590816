/* SPDX-License-Identifier: GPL-2.0-only */
/* The rows of the measurement of instructions per sample, and the clients of a row: who samples meanwhile. */
#ifndef TPROF_BENCH_SAMPLE_COST_H
#define TPROF_BENCH_SAMPLE_COST_H

#include <stdint.h>
#include <sys/types.h>

#include "guest.h"

#define PERIOD_NS	25000		/* 40,000 samples a second */
#define MAX_CLIENTS	32
#define MAX_FRAMES	127
#define CLIENTS_DO_NOT_TELL UINT64_MAX

struct clients;

/* What is measured. Nothing is sampled if neither engine nor start is set. */
struct row {
	const char *name;
	const char *engine;		/* sessions of the library on this engine ... */
	const char *filter;		/* ... with this filter, an object of filters/ beside the program ... */
	const char *event;		/* ... on this event; NULL: cpu-clock */
	unsigned int nr;		/* how many clients */
	unsigned int rarer;		/* so many times the usual period; 0: the usual */
	unsigned int slow;		/* how many of these, the last ones, take only every thousandth sample */
	unsigned int elsewhere;		/* how many of these, the last ones, look at another process */
	unsigned int scope;		/* how many processes the clients look at; 0: all, if they look nowhere else */
	int in_kernel;			/* the work is done in kernel mode */
	void (*start)(struct clients *clients); /* clients of another kind */
	void (*tell)(const struct row *row, unsigned int frames); /* prints what else is known afterwards */
};

struct tprof_session;
struct bpf_object;
struct bpf_link;

/* Processes that do nothing. */
struct crowd {
	unsigned int nr;
	pid_t *pids;			/* of all, the one first that the others descend from, and of this process */
};

struct clients {
	const struct row *row;
	struct crowd crowd;		/* who is looked at, with this process or without */
	struct tprof_session *sessions[MAX_CLIENTS];
	int fds[MAX_CLIENTS];		/* sessions of the module without the library; -1: none */
	struct bpf_object *object;
	struct bpf_link *link;
};

extern const struct row rows[];		/* ends with one without a name */

/* Of its first client, in ns. */
unsigned int row_period(const struct row *row);
void clients_start(struct clients *clients, const struct row *row);
void clients_stop(struct clients *clients);
/* Samples that the first client had up to now, or CLIENTS_DO_NOT_TELL. */
uint64_t clients_fired(const struct clients *clients);
/* Samples of the first client by the length of their call stack, those that are longer with the last. */
void clients_chains(const struct clients *clients, uint64_t samples[MAX_FRAMES + 1]);

/* A line of the result, as sample_cost.c describes it. */
void print_cost(const char *name, unsigned int clients, double instructions, double samples);

/* Parameters of modules. */
__attribute__((format(printf, 3, 4)))
void module_set(const char *module, const char *name, const char *format, ...);
void module_get(const char *module, const char *name, char *text, int room);

/* 0: nobody. */
void crowd_start(struct crowd *crowd, unsigned int nr);
void crowd_stop(struct crowd *crowd);

#endif
