// SPDX-License-Identifier: GPL-2.0-only
/*
 * Feeds damaged input to a reader of the library: mutate READER SAMPLE ROUNDS [SEED]. Each round changes a few bytes of
 * the sample, and in one round of eight also truncates it, and passes it to the reader. The same seed gives the same
 * rounds. Meant to be built with sanitizers.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "readers.h"

#define MAX_SAMPLE (4 << 20)

static void mutate(const struct input *sample, struct input *input)
{
	uint64_t changes = 1 + draw() % 16;

	memcpy(input->bytes, sample->bytes, sample->size);
	input->size = draw() % 8 ? sample->size : draw() % (sample->size + 1);
	for (uint64_t i = 0; input->size && i < changes; i++) {
		/* Headers matter most: every other change goes into the first 4 KiB. */
		size_t reach = draw() % 2 || input->size < 4096 ? input->size : 4096;
		size_t at = draw() % reach;

		switch (draw() % 4) {
		case 0:
			input->bytes[at] ^= 1U << draw() % 8;
			break;
		case 1:
			input->bytes[at] = (uint8_t)draw();
			break;
		case 2:
			memset(input->bytes + at, draw() % 2 ? 0xff : 0, input->size - at < 8 ? input->size - at : 8);
			break;
		default:
			memmove(input->bytes + at, input->bytes + draw() % (input->size - at), 1);
		}
	}
}

static void read_sample(const char *path, struct input *sample)
{
	FILE *file = fopen(path, "r");

	if (file)
		sample->size = fread(sample->bytes, 1, MAX_SAMPLE, file);
	if (!file || !sample->size) {
		fprintf(stderr, "mutate: %s: %s\n", path, strerror(errno));
		exit(EXIT_FAILURE);
	}
	fclose(file);
}

/* Copies the input to memory of exactly its size, so that sanitizers detect reads beyond its end. */
static void feed(const struct reader *reader, const struct input *input)
{
	struct input exact = { malloc(input->size ? input->size : 1), input->size };

	if (!exact.bytes)
		exit(EXIT_FAILURE);
	memcpy(exact.bytes, input->bytes, input->size);
	reader->feed(&exact);
	free(exact.bytes);
}

int main(int argc, char **argv)
{
	struct input sample = { .bytes = malloc(MAX_SAMPLE) }, input = { .bytes = malloc(MAX_SAMPLE) };
	const struct reader *reader;
	long rounds;

	if (argc < 4 || !sample.bytes || !input.bytes)
		return 2;
	reader = reader_find(argv[1]);
	if (!reader)
		return 2;
	if (argc > 4)
		draw_seed(strtoull(argv[4], NULL, 0));
	read_sample(argv[2], &sample);
	for (rounds = atol(argv[3]); rounds > 0; rounds--) {
		mutate(&sample, &input);
		feed(reader, &input);
	}
	free(sample.bytes);
	free(input.bytes);
	return EXIT_SUCCESS;
}
