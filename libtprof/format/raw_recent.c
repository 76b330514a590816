// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* The numbers that the writer of a raw recording has found within a reading. */
#include "raw_recent.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

/* Powers of two. A place holds what was kept there last. */
#define NR_FRAMES 1024
#define NR_STRINGS 1024
#define NR_TASKS 128
#define TEXT_BYTES 64		/* tasks with longer names are not kept */

struct recent_frame {
	uint64_t reading;
	const struct tprof_frame *at;
	struct tprof_frame frame;
	int64_t number;
};

struct recent_string {
	uint64_t reading;
	const char *at;
	int64_t number;
};

struct recent_task {
	uint64_t reading;
	pid_t pid, tid;
	char comm[TEXT_BYTES], thread[TEXT_BYTES], cgroup[TEXT_BYTES];
	int64_t number;
};

struct raw_recent {
	uint64_t reading;		/* what was kept in another one is forgotten */
	struct recent_frame frames[NR_FRAMES];
	struct recent_string strings[NR_STRINGS];
	struct recent_task tasks[NR_TASKS];
};

struct raw_recent *raw_recent_new(void)
{
	struct raw_recent *recent = calloc(1, sizeof(*recent));

	if (recent)
		recent->reading = 1;
	return recent;
}

void raw_recent_free(struct raw_recent *recent)
{
	free(recent);
}

void raw_recent_forget(struct raw_recent *recent)
{
	recent->reading++;
}

/* @nr: a power of two */
static size_t place_of(const void *at, size_t nr)
{
	return (size_t)hash_mix(0, (uintptr_t)at) & (nr - 1);
}

int64_t raw_recent_frame(const struct raw_recent *recent, const struct tprof_frame *frame)
{
	const struct recent_frame *kept = &recent->frames[place_of(frame, NR_FRAMES)];

	/* Another frame may be at the address by now. */
	if (kept->reading != recent->reading || kept->at != frame || memcmp(&kept->frame, frame, sizeof(*frame)) != 0)
		return -1;
	return kept->number;
}

void raw_recent_keep_frame(struct raw_recent *recent, const struct tprof_frame *frame, int64_t number)
{
	struct recent_frame *kept = &recent->frames[place_of(frame, NR_FRAMES)];

	if (number < 0)
		return;
	kept->reading = recent->reading;
	kept->at = frame;
	/* With the padding, which is compared too. */
	memcpy(&kept->frame, frame, sizeof(*frame));
	kept->number = number;
}

int64_t raw_recent_string(const struct raw_recent *recent, const char *string)
{
	const struct recent_string *kept = &recent->strings[place_of(string, NR_STRINGS)];

	return kept->reading == recent->reading && kept->at == string ? kept->number : -1;
}

void raw_recent_keep_string(struct raw_recent *recent, const char *string, int64_t number)
{
	if (number >= 0)
		recent->strings[place_of(string, NR_STRINGS)] = (struct recent_string){
			.reading = recent->reading, .at = string, .number = number,
		};
}

static const char *text_of(const char *text)
{
	return text ? text : "";
}

static bool is_equal(const char *kept, const char *text)
{
	return !strcmp(kept, text_of(text));
}

static bool fits(const char *text)
{
	return strlen(text_of(text)) < TEXT_BYTES;
}

int64_t raw_recent_task(const struct raw_recent *recent, const struct tprof_raw_sample *sample)
{
	const struct recent_task *kept = &recent->tasks[(uint32_t)sample->tid & (NR_TASKS - 1)];

	if (kept->reading != recent->reading || kept->tid != sample->tid || kept->pid != sample->pid ||
	    !is_equal(kept->comm, sample->comm) || !is_equal(kept->thread, sample->thread) ||
	    !is_equal(kept->cgroup, sample->cgroup))
		return -1;
	return kept->number;
}

void raw_recent_keep_task(struct raw_recent *recent, const struct tprof_raw_sample *sample, int64_t number)
{
	struct recent_task *kept = &recent->tasks[(uint32_t)sample->tid & (NR_TASKS - 1)];

	if (number < 0 || !fits(sample->comm) || !fits(sample->thread) || !fits(sample->cgroup))
		return;
	kept->reading = recent->reading;
	kept->pid = sample->pid;
	kept->tid = sample->tid;
	strcpy(kept->comm, text_of(sample->comm));
	strcpy(kept->thread, text_of(sample->thread));
	strcpy(kept->cgroup, text_of(sample->cgroup));
	kept->number = number;
}
