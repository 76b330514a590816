/* SPDX-License-Identifier: GPL-2.0-only */
/* The readers of the library, each fed with bytes that may be anything. What goes wrong aborts. */
#ifndef FUZZ_READERS_H
#define FUZZ_READERS_H

#include <stddef.h>
#include <stdint.h>

/* Memory of just that size, so that reading past its end is seen. */
struct input {
	uint8_t *bytes;		/* may be changed */
	size_t size;
};

struct reader {
	const char *name;
	void (*feed)(const struct input *input);
};

/* NULL: there is none of that name. */
const struct reader *reader_find(const char *name);

/* Numbers that are the same after the same seed, everywhere. */
void draw_seed(uint64_t seed);
uint64_t draw(void);

#endif
