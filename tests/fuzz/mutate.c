// SPDX-License-Identifier: GPL-2.0-only
/*
 * Feeds the library's parsers with damaged input: mutate TARGET SAMPLE ROUNDS [SEED]. Every round changes a
 * few bytes of the sample, or cuts it short, and hands it to the parser, which may refuse it but not fall
 * over it. The same seed gives the same rounds; meant for a build with sanitizers.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "demangle.h"
#include "elf_symbols.h"
#include "event.h"
#include "gzip.h"
#include "sideband_record.h"
#include "tprof.h"

#define MAX_SAMPLE (4 << 20)

struct input {
	uint8_t *bytes;
	size_t size;
};

static uint64_t state;

/* xorshift64: short, and the same everywhere. */
static uint64_t draw(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* As a file without a name; the parsers that want one get its /proc path. */
static int memory_file(const struct input *input, char *path, size_t path_size)
{
	int fd = memfd_create("mutate", MFD_CLOEXEC);

	if (fd < 0 || write(fd, input->bytes, input->size) != (ssize_t)input->size)
		exit(EXIT_FAILURE);
	snprintf(path, path_size, "/proc/self/fd/%d", fd);
	return fd;
}

static void feed_elf(const struct input *input)
{
	char path[64], name[ELF_NAME_MAX];
	int fd = memory_file(input, path, sizeof(path));
	struct elf_symbols *symbols = elf_symbols_open(fd, path);
	uint64_t delta;
	long index;

	for (int i = 0; symbols && i < 64; i++) {
		index = elf_symbols_find(symbols, draw() % (input->size + 1), &delta);
		if (index >= 0)
			elf_symbols_name(symbols, (size_t)index, name, sizeof(name));
	}
	elf_symbols_close(symbols);
	close(fd);
}

static void feed_filter(const struct input *input)
{
	struct tprof_table_info table = { .sz = sizeof(table) };
	struct tprof_param_info param = { .sz = sizeof(param) };
	struct tprof_filter *filter;
	char path[64];
	int fd = memory_file(input, path, sizeof(path));

	filter = tprof_filter__open(path, NULL);
	if (filter) {
		for (size_t i = 0; i < tprof_filter__nr_tables(filter); i++)
			tprof_filter__table(filter, i, &table);
		for (size_t i = 0; i < tprof_filter__nr_params(filter); i++)
			tprof_filter__param(filter, i, &param);
		tprof_filter__set(filter, "idle", "1");
	}
	tprof_filter__free(filter);
	close(fd);
}

static void feed_record(const struct input *input)
{
	struct sideband_record record;
	uint8_t *exact = malloc(input->size ? input->size : 1);	/* so that reading past the end is seen */

	if (!exact)
		exit(EXIT_FAILURE);
	memcpy(exact, input->bytes, input->size);
	if (!sideband_parse((const struct perf_event_header *)exact, input->size, &record)) {
		if (record.kind == SIDEBAND_MMAP)
			state += strlen(record.id.path);
		if (record.kind == SIDEBAND_EXEC || record.kind == SIDEBAND_COMM)
			state += strlen(record.comm);
	}
	free(exact);
}

static char *as_text(const struct input *input)
{
	char *text = strndup((const char *)input->bytes, input->size);

	if (!text)
		exit(EXIT_FAILURE);
	return text;
}

static void feed_event(const struct input *input)
{
	char *text = as_text(input);
	struct tprof_error error;
	struct event event;

	event_parse(&event, text, &error);
	free(text);
}

static void feed_demangle(const struct input *input)
{
	char *text = as_text(input);
	char name[1024];

	demangle(text, name, sizeof(name));
	free(text);
}

/* The message of a pprof file; it is packed here, for a change of what is packed hardly ever gets through. */
static void feed_pprof(const struct input *input)
{
	int fd = memfd_create("mutate", MFD_CLOEXEC);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
	struct tprof_error error;

	if (!out || gzip_write(input->bytes, input->size, out) || fflush(out) || lseek(fd, 0, SEEK_SET))
		exit(EXIT_FAILURE);
	tprof_profile__free(tprof_profile__read(fd, "mutate", &error));
	fclose(out);
}

/* The file as it is. */
static void feed_gzip(const struct input *input)
{
	struct tprof_error error;
	char path[64];
	int fd = memory_file(input, path, sizeof(path));

	lseek(fd, 0, SEEK_SET);
	tprof_profile__free(tprof_profile__read(fd, "mutate", &error));
	close(fd);
}

static const struct target {
	const char *name;
	void (*feed)(const struct input *input);
} targets[] = {
	{ "elf", feed_elf },
	{ "filter", feed_filter },
	{ "record", feed_record },
	{ "event", feed_event },
	{ "demangle", feed_demangle },
	{ "pprof", feed_pprof },
	{ "gzip", feed_gzip },
};

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

int main(int argc, char **argv)
{
	struct input sample = { .bytes = malloc(MAX_SAMPLE) }, input = { .bytes = malloc(MAX_SAMPLE) };
	const struct target *target = NULL;
	long rounds;

	if (argc < 4 || !sample.bytes || !input.bytes)
		return 2;
	for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++) {
		if (!strcmp(argv[1], targets[i].name))
			target = &targets[i];
	}
	if (!target)
		return 2;
	state = argc > 4 ? strtoull(argv[4], NULL, 0) : 0x9e3779b97f4a7c15ULL;
	read_sample(argv[2], &sample);
	for (rounds = atol(argv[3]); rounds > 0; rounds--) {
		mutate(&sample, &input);
		target->feed(&input);
	}
	free(sample.bytes);
	free(input.bytes);
	return EXIT_SUCCESS;
}
