// SPDX-License-Identifier: GPL-2.0-only
/* Feeds damaged input to the readers of the library. A reader may refuse it, but must not crash. */
#include "readers.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "base/gzip.h"
#include "elf/demangle.h"
#include "elf/elf_cfi.h"
#include "elf/elf_lines.h"
#include "elf/elf_symbols.h"
#include "event/event.h"
#include "format/raw.h"
#include "host/proc.h"
#include "process/aspace.h"
#include "process/sideband_processes.h"
#include "symbol/ksyms.h"
#include "symbol/perfmap.h"
#include "symbol/symbolize.h"
#include "tprof.h"

static uint64_t state = 0x9e3779b97f4a7c15ULL;

void draw_seed(uint64_t seed)
{
	state = seed ? seed : 1;
}

/* xorshift64: short, and the same everywhere. */
uint64_t draw(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* Copies the input to a memfd. Readers that need a path get its path in /proc. */
static int memory_file(const struct input *input, char *path, size_t path_size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd < 0 || write(fd, input->bytes, input->size) != (ssize_t)input->size)
		exit(EXIT_FAILURE);
	snprintf(path, path_size, "/proc/self/fd/%d", fd);
	return fd;
}

static void feed_elf(const struct input *input)
{
	char path[64], name[ELF_NAME_MAX];
	int fd = memory_file(input, path, sizeof(path));
	const struct debug_search search = { .path = path, .root = -1 };
	struct elf_symbols *symbols = elf_symbols_open(fd, &search);
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

/* Looks up many addresses, because debug information is read on demand. */
static void feed_lines(const struct input *input)
{
	struct elf_place places[ELF_PLACES_MAX];
	const struct debug_search search = { .root = -1 };
	struct elf_lines *lines;
	char path[64];
	int fd = memory_file(input, path, sizeof(path));

	lines = elf_lines_open(fd, &search);
	for (uint64_t at = 0; lines && at < input->size; at += 16) {
		size_t nr = elf_lines_find(lines, at, places);

		for (size_t i = 0; i < nr; i++) {
			if ((places[i].file && strlen(places[i].file) > input->size) ||
			    (places[i].function && strlen(places[i].function) > input->size))
				abort();
		}
	}
	elf_lines_close(lines);
	close(fd);
}

static bool read_noise(void *ctx, uint64_t address, void *to, uint32_t bytes)
{
	uint64_t word = draw();

	(void)ctx;
	(void)address;
	memcpy(to, &word, bytes);
	return draw() % 16;
}

static void feed_cfi(const struct input *input)
{
	const struct cfi_memory memory = { .read = read_noise };
	const struct debug_search search = { .root = -1 };
	char path[64];
	int fd = memory_file(input, path, sizeof(path));
	struct elf_cfi *cfi = elf_cfi_open(fd, &search, 1 << 20);

	close(fd);
	for (int i = 0; cfi && i < 64; i++) {
		struct cfi_frame frame = { .known = draw() };
		const struct cfi_row *row = elf_cfi_find(cfi, draw() % (input->size + 1));

		for (int reg = 0; reg < CFI_NR_REGS; reg++)
			frame.regs[reg] = draw();
		if (row)
			cfi_step(row, &frame, &memory);
	}
	elf_cfi_close(cfi);
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

	if (sideband_parse((const struct perf_event_header *)input->bytes, input->size, &record))
		return;
	if (record.kind == SIDEBAND_MMAP)
		state += strlen(record.id.path);
	if (record.kind == SIDEBAND_EXEC || record.kind == SIDEBAND_COMM)
		state += strlen(record.comm);
}

/* Maps a PID to one of 16, so that random records often share one. They exceed the largest PID that exists in /proc. */
static pid_t few(pid_t pid)
{
	return 5000000 + pid % 16;
}

/* Resolves an address near the mapping of the last record, and sometimes lets old entries expire. */
static void ask(struct aspaces *aspaces, struct symbolizer *symbolizer, const struct sideband_record *record)
{
	uint64_t ip = record->start + draw() % 0x2000;
	struct tprof_symbol symbol;
	const char *name = aspaces_thread_name(aspaces, record->tid);

	state += name ? strlen(name) : 0;
	name = aspaces_process_name(aspaces, record->pid, (uint32_t)(ip >> 12));
	state += name ? strlen(name) : 0;
	if (!symbolizer_resolve(symbolizer, record->pid, (uint32_t)draw() % 2 * (uint32_t)(ip >> 12), ip, &symbol))
		state += strlen(symbol.name) + strlen(symbol.object);
	if (draw() % 8)
		return;
	symbolizer_age(symbolizer);
	aspaces_age(aspaces);
}

/* A sequence of side-band records: builds the address spaces of processes, and resolves addresses in them. */
static void feed_naming(const struct input *input)
{
	struct dsos *dsos = dsos_new(NULL);
	struct aspaces *aspaces = aspaces_new(dsos, NULL);
	struct symbolizer *symbolizer = symbolizer_new(aspaces, NULL);
	struct sideband_processes processes = { .aspaces = aspaces };
	size_t at = 0;

	while (dsos && aspaces && symbolizer && input->size - at >= sizeof(struct perf_event_header)) {
		struct perf_event_header header;
		struct sideband_record record;

		memcpy(&header, input->bytes + at, sizeof(header));
		if (header.size < sizeof(header) || header.size > input->size - at)
			break;
		if (!sideband_parse((const void *)(input->bytes + at), input->size - at, &record)) {
			record.tid = record.tid == record.pid ? few(record.pid) : few(record.tid);
			record.pid = few(record.pid);
			record.ppid = few(record.ppid);
			record.ptid = few(record.ptid);
			sideband_processes_handle(&processes, &record);
			ask(aspaces, symbolizer, &record);
		}
		at += header.size;
	}
	sideband_processes_fini(&processes);
	symbolizer_free(symbolizer);
	aspaces_free(aspaces);
	dsos_free(dsos);
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

/* /proc/PID/maps */
static void feed_maps(const struct input *input)
{
	char *text = as_text(input), *at = text;
	struct proc_map map;

	while (proc_parse_map(&at, &map) == 1)
		state += strlen(map.path);
	free(text);
}

/* /proc/PID/stat and /proc/PID/status */
static void feed_stat(const struct input *input)
{
	struct proc_status status;
	struct proc_stat stat;
	char *text = as_text(input);

	if (!proc_parse_stat(text, &stat))
		state += strlen(stat.comm);
	proc_parse_status(text, &status);
	free(text);
}

/* /tmp/perf-PID.map */
static void feed_perfmap(const struct input *input)
{
	size_t max_bytes = draw() % 2 ? SIZE_MAX : draw() % 4096;
	struct perfmap *map = perfmap_parse((const char *)input->bytes, input->size, max_bytes);
	const char *name;
	uint64_t delta;

	for (int i = 0; map && i < 64; i++) {
		uint64_t ip = draw() >> draw() % 64;

		if (perfmap_find(map, ip, &name, &delta))
			state += strlen(name) + perfmap_has_changed(map, ip, draw() % 4096);
	}
	perfmap_free(map);
}

static void feed_ksyms(const struct input *input)
{
	const struct log silent = { 0 };
	struct ksyms *ksyms = ksyms_new(&silent);
	const char *name, *object;
	uint64_t delta;
	int err = ksyms ? ksyms_parse(ksyms, (const char *)input->bytes, input->size, "") : -ENOMEM;

	for (int i = 0; !err && i < 64; i++) {
		if (ksyms_find(ksyms, draw() | 1ULL << 63, &name, &object, &delta))
			state += strlen(name) + strlen(object);
	}
	ksyms_free(ksyms);
}

/* The input is an uncompressed pprof message, compressed here: most changes of compressed data fail at the checksum. */
static void feed_pprof(const struct input *input)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
	struct tprof_error error;

	if (!out || gzip_write(input->bytes, input->size, out) || fflush(out) || lseek(fd, 0, SEEK_SET))
		exit(EXIT_FAILURE);
	tprof_profile__free(tprof_profile__read(fd, "fuzz", &error));
	fclose(out);
}

/* The input is the file itself. */
static void feed_gzip(const struct input *input)
{
	struct tprof_error error;
	char path[64];
	int fd = memory_file(input, path, sizeof(path));

	lseek(fd, 0, SEEK_SET);
	tprof_profile__free(tprof_profile__read(fd, "fuzz", &error));
	close(fd);
}

static int count_frames(void *ctx, const struct tprof_raw_info *info, const struct tprof_raw_sample *sample)
{
	(void)ctx;
	for (size_t i = 0; i < sample->nr_frames; i++)
		state += strlen(sample->frames[i]->symbol) + strlen(sample->frames[i]->build_id);
	state += strlen(sample->thread) + strlen(info->machine);
	return 0;
}

/* Corrects the checksums of records while their lengths are plausible; else most changes fail at the checksum. */
static void mend_checksums(const struct input *input)
{
	size_t at = RAW_FILE_HEADER;

	while (at + RAW_HEADER <= input->size) {
		uint8_t *record = input->bytes + at;
		uint32_t length = raw_get32(record + RAW_LENGTH_AT);
		uLong sum = crc32(crc32(0, NULL, 0), record, RAW_CHECKSUM_AT);

		if (length > input->size - at - RAW_HEADER)
			break;
		sum = length ? crc32(sum, record + RAW_HEADER, length) : sum;
		raw_put32(record + RAW_CHECKSUM_AT, (uint32_t)sum);
		at += RAW_HEADER + length;
	}
}

/* The ledger must close for any input that is accepted. */
static void feed_raw(const struct input *input)
{
	struct tprof_profile *profile;
	struct tprof_tally left = { 0 };
	struct tprof_error error;
	char path[64];
	int fd;

	mend_checksums(input);
	fd = memory_file(input, path, sizeof(path));
	lseek(fd, 0, SEEK_SET);
	profile = tprof_profile__read(fd, "fuzz", &error);
	if (profile)
		left = tprof_ledger__difference(tprof_profile__ledger(profile));
	if (left.samples || left.weight)
		abort();
	tprof_profile__free(profile);
	lseek(fd, 0, SEEK_SET);
	tprof_raw__each(fd, "fuzz", NULL, count_frames, NULL, NULL, &error);
	close(fd);
}

static const struct reader readers[] = {
	{ "elf", feed_elf },
	{ "lines", feed_lines },
	{ "cfi", feed_cfi },
	{ "filter", feed_filter },
	{ "record", feed_record },
	{ "naming", feed_naming },
	{ "event", feed_event },
	{ "demangle", feed_demangle },
	{ "maps", feed_maps },
	{ "stat", feed_stat },
	{ "perfmap", feed_perfmap },
	{ "ksyms", feed_ksyms },
	{ "pprof", feed_pprof },
	{ "gzip", feed_gzip },
	{ "raw", feed_raw },
};

const struct reader *reader_find(const char *name)
{
	for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++)
		if (!strcmp(name, readers[i].name))
			return &readers[i];
	return NULL;
}
