/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads the samples in the streams of a session, for guest tests in C. Include device.h first. */
#ifndef TPROF_TESTS_SAMPLES_H
#define TPROF_TESTS_SAMPLES_H

/* Calls @each for all samples, and returns their number. The session must be stopped. */
__attribute__((unused))
static size_t read_samples(int session, void (*each)(const struct tprof_sample *sample, void *ctx), void *ctx)
{
	static char buffer[65536] __attribute__((aligned(8)));
	size_t nr_samples = 0;
	ssize_t size, at;

	while ((size = read(session, buffer, sizeof(buffer))) > 0) {
		for (at = 0; at < size; at += ((struct tprof_record *)(buffer + at))->size) {
			struct tprof_record *record = (void *)(buffer + at);

			if (record->type != TPROF_RECORD_SAMPLE)
				continue;
			each((void *)(record + 1), ctx);
			nr_samples++;
		}
	}
	need(size == 0, "the stream is read to its end");
	return nr_samples;
}

#endif
