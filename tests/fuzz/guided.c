// SPDX-License-Identifier: GPL-2.0-only
/* Runs one reader under libFuzzer, which searches for inputs that reach new code: READER=NAME guided DIR. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "readers.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct reader *reader;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *name = getenv("READER");

	(void)argc;
	reader = name ? reader_find(name) : NULL;
	if (reader)
		return 0;
	fprintf(stderr, "usage: READER=NAME %s [libFuzzer option | directory]...\n", **argv);
	exit(2);
}

/* The random seed is fixed, because the same input must always reach the same code. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = { malloc(size ? size : 1), size };

	if (!input.bytes)
		return 0;
	if (size)
		memcpy(input.bytes, data, size);
	draw_seed(1);
	reader->feed(&input);
	free(input.bytes);
	return 0;
}
