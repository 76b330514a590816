/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions that feed arbitrary bytes to one reader of the library each. They abort if a check fails. */
#ifndef FUZZ_READERS_H
#define FUZZ_READERS_H

#include <stddef.h>
#include <stdint.h>

/* Allocated with exactly this size, so that sanitizers detect reads beyond its end. */
struct input {
	uint8_t *bytes;		/* may be changed */
	size_t size;
};

struct reader {
	const char *name;
	void (*feed)(const struct input *input);
};

/* Returns NULL for an unknown name. */
const struct reader *reader_find(const char *name);

/* Pseudorandom numbers: the same seed gives the same numbers on all machines. */
void draw_seed(uint64_t seed);
uint64_t draw(void);

#endif
