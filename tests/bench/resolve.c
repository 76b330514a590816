// SPDX-License-Identifier: GPL-2.0-only
/*
 * Symbolizes the same set of different addresses of a file with tprof and with perf:
 *
 *	resolve names FILE COUNT	symbolizes them like a session; prints seconds and the number of symbols
 *	resolve lines FILE COUNT	the same with source lines and inlined functions
 *	resolve perf FILE COUNT OUT	writes a perf.data with a sample at each
 */
#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "elf/elf_file.h"
#include "process/aspace.h"
#include "symbol/symbolize.h"

#define START 0x10000000u	/* the address of the pretended mapping of the file */
#define TGID 0x3ffffff0		/* larger than any real PID */

/* The code section of a file. */
struct code {
	uint64_t offset, size;
};

static void fail(const char *what)
{
	perror(what);
	exit(EXIT_FAILURE);
}

static struct code find_code(const char *path)
{
	const struct elf_section *text;
	struct elf_file file;
	struct code code;
	int fd = open(path, O_RDONLY);

	if (fd < 0 || elf_file_open(&file, fd))
		fail(path);
	text = elf_file_find(&file, ".text");
	if (!text)
		fail(".text");
	code = (struct code){ text->offset, text->size };
	elf_file_close(&file);
	close(fd);
	return code;
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void resolve(const char *path, const struct code *code, size_t count, bool lines)
{
	double began = now();
	struct dsos *dsos = dsos_new(NULL);
	struct aspaces *aspaces = aspaces_new(dsos, NULL);
	struct symbolizer *symbolizer = symbolizer_new(aspaces, NULL);
	struct dso_id id = { .path = path };
	size_t named = 0, with_line = 0;
	struct stat st;

	if (stat(path, &st))
		fail(path);
	id.maj = major(st.st_dev);
	id.min = minor(st.st_dev);
	id.ino = st.st_ino;
	if (lines) {
		dsos_want_lines(dsos);
		symbolizer_want(symbolizer, true, true);
	}
	aspaces_mmap(aspaces, TGID, START, (uint64_t)st.st_size, 0, &id, clock_now_ns());
	for (size_t i = 0; i < count; i++) {
		const struct tprof_frame *frames;
		uint64_t at = START + code->offset + code->size / count * i;
		int nr = symbolizer_frames(symbolizer, TGID, 0, at, &frames);

		if (nr < 1)
			fail("symbolizer_frames");
		named += frames[nr - 1].symbol[0] != '[';
		with_line += frames[0].line != 0;
	}
	printf("%.3f %zu %zu\n", now() - began, named, with_line);
	symbolizer_free(symbolizer);
	aspaces_free(aspaces);
	dsos_free(dsos);
}

struct header {
	char magic[8];
	uint64_t size, attr_size;
	struct {
		uint64_t offset, size;
	} attrs, data, types;
	uint64_t features[4];
};

struct attr {
	struct perf_event_attr attr;
	uint64_t ids_offset, ids_size;
};

struct comm {
	struct perf_event_header header;
	uint32_t pid, tid;
	char name[16];
};

struct map {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t address, length, offset;
	char path[PATH_MAX];
};

struct sample {
	struct perf_event_header header;
	uint64_t ip;
	uint32_t pid, tid;
};

static void write_perf(const char *path, const struct code *code, size_t count, FILE *out)
{
	struct header header = { .magic = "PERFILE2", .size = sizeof(header), .attr_size = sizeof(struct attr) };
	struct attr attr = { .attr = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(attr.attr), .config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 1, .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID, .mmap = 1, .comm = 1,
	} };
	struct comm comm = { .header = { PERF_RECORD_COMM, 0, sizeof(comm) }, .pid = 1, .tid = 1, .name = "bench" };
	struct map map = {
		.header = { PERF_RECORD_MMAP, PERF_RECORD_MISC_USER, 0 }, .pid = 1, .tid = 1, .address = START,
	};
	size_t path_bytes = (strlen(path) + 8) & ~(size_t)7;
	struct stat st;

	if (stat(path, &st) || path_bytes >= sizeof(map.path))
		fail(path);
	strcpy(map.path, path);
	map.length = (uint64_t)st.st_size;
	map.header.size = (uint16_t)(offsetof(struct map, path) + path_bytes);
	header.attrs.offset = sizeof(header);
	header.attrs.size = sizeof(attr);
	header.data.offset = sizeof(header) + sizeof(attr);
	header.data.size = sizeof(comm) + map.header.size + count * sizeof(struct sample);
	fwrite(&header, sizeof(header), 1, out);
	fwrite(&attr, sizeof(attr), 1, out);
	fwrite(&comm, sizeof(comm), 1, out);
	fwrite(&map, map.header.size, 1, out);
	for (size_t i = 0; i < count; i++) {
		struct sample sample = {
			.header = { PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, sizeof(sample) }, .pid = 1, .tid = 1,
			.ip = START + code->offset + code->size / count * i,
		};

		fwrite(&sample, sizeof(sample), 1, out);
	}
	if (fclose(out))
		fail("perf.data");
}

int main(int argc, char **argv)
{
	char path[PATH_MAX];
	struct code code;
	size_t count;

	if (argc < 4 || !realpath(argv[2], path))
		fail("resolve names|lines|perf FILE COUNT [OUT]");
	code = find_code(path);
	count = strtoul(argv[3], NULL, 10);
	if (!count || code.size / count == 0) {
		fprintf(stderr, "%s has fewer bytes of code\n", path);
		return EXIT_FAILURE;
	}
	if (argc > 4)
		write_perf(path, &code, count, fopen(argv[4], "w"));
	else
		resolve(path, &code, count, !strcmp(argv[1], "lines"));
	return EXIT_SUCCESS;
}
