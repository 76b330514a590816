/* SPDX-License-Identifier: GPL-2.0-only */
/* The rows of the measurement of instructions per sample, and the clients of a row: who samples meanwhile. */
#ifndef TPROF_BENCH_SAMPLE_COST_H
#define TPROF_BENCH_SAMPLE_COST_H

#include <stdint.h>

#define MAX_CLIENTS	8
#define CLIENTS_DO_NOT_TELL UINT64_MAX

/* What is measured. Nothing is sampled if neither engine nor start is set. */
struct row {
	const char *name;
	const char *engine;		/* sessions of the library on this engine ... */
	const char *filter;		/* ... with this filter, an object of filters/ beside the program */
	unsigned int nr;		/* how many clients */
	unsigned int slow;		/* how many of these, the last ones, take only every thousandth sample */
	unsigned int elsewhere;		/* how many of these, the last ones, look at another process */
	int in_kernel;			/* the work is done in kernel mode */
	void (*start)(void *clients);	/* clients of another kind */
	uint64_t period_ns;		/* 0: PERIOD_NS */
};

struct tprof_session;
struct bpf_object;
struct bpf_link;

struct clients {
	const struct row *row;
	struct tprof_session *sessions[MAX_CLIENTS];
	int fds[MAX_CLIENTS];		/* sessions of the module without the library; -1: none */
	struct bpf_object *object;
	struct bpf_link *link;
};

extern const struct row rows[];		/* ends with one without a name */

uint64_t row_period_ns(const struct row *row);

void clients_start(struct clients *clients, const struct row *row);
void clients_stop(struct clients *clients);
/* Samples that the first client had up to now, or CLIENTS_DO_NOT_TELL. */
uint64_t clients_fired(const struct clients *clients);
/* Length of the call chain that the first client saw most. */
unsigned int clients_frames(const struct clients *clients);

/* Writes a parameter of the module tprof_bench. */
__attribute__((format(printf, 2, 3)))
void module_set(const char *name, const char *format, ...);

/* On standard output, which is the console of the guest. */
__attribute__((format(printf, 1, 2), noreturn))
void fail(const char *format, ...);

#endif
