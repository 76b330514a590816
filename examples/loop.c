/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* The cost of a loop: counts the instructions and cycles of two ways to add up a matrix, without privileges. */
#include <stdio.h>
#include <stdlib.h>
#include <tprof/tprof.h>

#define SIZE 1024

static long by_row(const int *matrix)
{
	long sum = 0;

	for (int row = 0; row < SIZE; row++)
		for (int column = 0; column < SIZE; column++)
			sum += matrix[row * SIZE + column];
	return sum;
}

static long by_column(const int *matrix)
{
	long sum = 0;

	for (int column = 0; column < SIZE; column++)
		for (int row = 0; row < SIZE; row++)
			sum += matrix[row * SIZE + column];
	return sum;
}

static void measure(struct tprof_self *self, const char *name, long (*fn)(const int *matrix), const int *matrix)
{
	uint64_t before[TPROF_SELF_MAX_EVENTS], after[TPROF_SELF_MAX_EVENTS];
	int err = tprof_self__read(self, before);
	long sum = fn(matrix);

	err = err ? err : tprof_self__read(self, after);
	printf("%-10s sum %ld:", name, sum);
	for (size_t i = 0; i < tprof_self__nr_events(self); i++)
		printf(" %s %llu", tprof_self__event(self, i), (unsigned long long)(after[i] - before[i]));
	puts(err ? " (too low: no counter was free)" : "");
}

int main(void)
{
	struct tprof_error error;
	struct tprof_self *self = tprof_self__open(NULL, &error);
	int *matrix = malloc(SIZE * SIZE * sizeof(*matrix));

	if (!self || !matrix) {
		fprintf(stderr, "loop: %s\n", self ? "not enough memory" : error.text);
		return 1;
	}
	for (int i = 0; i < SIZE * SIZE; i++)
		matrix[i] = i % 10;
	measure(self, "by row", by_row, matrix);
	measure(self, "by column", by_column, matrix);
	free(matrix);
	tprof_self__close(self);
	return 0;
}
