// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Parses records of the side-band events. Layouts: perf_event_open(2), linux/perf_event.h. */
#include "sideband_record.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

/* The fields that SIDEBAND_SAMPLE_TYPE appends to every record. */
struct record_trailer {
	uint32_t pid, tid;
	uint64_t time_ns;
	uint32_t cpu, reserved;
};

struct record_task {
	uint32_t pid, ppid;
	uint32_t tid, ptid;
	uint64_t time_ns;
};

struct record_ids {
	uint32_t pid, tid;
};

struct record_mmap {
	uint32_t pid, tid;
	uint64_t start, length, pgoff;
};

struct record_mmap2 {
	struct record_mmap mmap;
	uint32_t maj, min;
	uint64_t ino;
	uint64_t ino_generation;
	uint32_t prot, flags;
};

struct record_ksymbol {
	uint64_t start;
	uint32_t length;
	uint16_t type, flags;
};

struct record_lost {
	uint64_t id;
	uint64_t nr_lost;
};

/* The part between the header and the trailer. */
struct body {
	const uint8_t *at;
	size_t size;
};

/* Copies, as the record may be unaligned. */
static int body_take(struct body *body, void *to, size_t size)
{
	if (body->size < size)
		return -EINVAL;
	memcpy(to, body->at, size);
	body->at += size;
	body->size -= size;
	return 0;
}

static const char *body_text(const struct body *body)
{
	return memchr(body->at, '\0', body->size) ? (const char *)body->at : NULL;
}

static int parse_task(struct body *body, enum sideband_kind kind, struct sideband_record *out)
{
	struct record_task task;

	if (body_take(body, &task, sizeof(task)))
		return -EINVAL;
	out->kind = kind;
	if (kind == SIDEBAND_FORK && task.pid != task.tid)
		out->kind = SIDEBAND_THREAD;
	out->pid = (pid_t)task.pid;
	out->tid = (pid_t)task.tid;
	out->ppid = (pid_t)task.ppid;
	out->ptid = (pid_t)task.ptid;
	return 0;
}

static int parse_comm(struct body *body, enum sideband_kind kind, struct sideband_record *out)
{
	struct record_ids ids;

	if (body_take(body, &ids, sizeof(ids)))
		return -EINVAL;
	out->kind = kind;
	out->pid = (pid_t)ids.pid;
	out->tid = (pid_t)ids.tid;
	out->comm = body_text(body);
	return out->comm ? 0 : -EINVAL;
}

static int set_mmap(const struct record_mmap *mmap, const struct body *body, struct sideband_record *out)
{
	out->kind = SIDEBAND_MMAP;
	out->pid = (pid_t)mmap->pid;
	out->tid = (pid_t)mmap->tid;
	out->start = mmap->start;
	out->length = mmap->length;
	out->pgoff = mmap->pgoff;
	out->id.path = body_text(body);
	return out->id.path ? 0 : -EINVAL;
}

static int parse_mmap(struct body *body, struct sideband_record *out)
{
	struct record_mmap mmap;

	if (body_take(body, &mmap, sizeof(mmap)))
		return -EINVAL;
	return set_mmap(&mmap, body, out);
}

/*
 * Ignores PERF_RECORD_MISC_MMAP_BUILD_ID: these events request no build ids, but the kernel sets the bit if another
 * event requests them.
 */
static int parse_mmap2(struct body *body, struct sideband_record *out)
{
	struct record_mmap2 mmap2;

	if (body_take(body, &mmap2, sizeof(mmap2)))
		return -EINVAL;
	if (!(mmap2.prot & PROT_EXEC))
		return 0;
	out->id.maj = mmap2.maj;
	out->id.min = mmap2.min;
	out->id.ino = mmap2.ino;
	out->id.generation = mmap2.ino_generation;
	out->id.has_generation = true;
	return set_mmap(&mmap2.mmap, body, out);
}

/* Ignores other symbols (trampolines), whose names are meaningless. */
static int parse_ksymbol(struct body *body, struct sideband_record *out)
{
	struct record_ksymbol ksymbol;

	if (body_take(body, &ksymbol, sizeof(ksymbol)))
		return -EINVAL;
	if (ksymbol.type != PERF_RECORD_KSYMBOL_TYPE_BPF)
		return 0;
	out->kind = SIDEBAND_PROGRAM;
	out->start = ksymbol.start;
	out->length = ksymbol.length;
	out->gone = ksymbol.flags & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER;
	out->comm = body_text(body);
	return out->comm ? 0 : -EINVAL;
}

static int parse_lost(struct body *body, struct sideband_record *out)
{
	struct record_lost lost;

	if (body_take(body, &lost, sizeof(lost)))
		return -EINVAL;
	out->kind = SIDEBAND_LOST;
	out->nr_lost = lost.nr_lost;
	return 0;
}

static int parse_body(const struct perf_event_header *header, struct body *body, struct sideband_record *out)
{
	bool is_exec = header->misc & PERF_RECORD_MISC_COMM_EXEC;

	switch (header->type) {
	case PERF_RECORD_FORK:
		return parse_task(body, SIDEBAND_FORK, out);
	case PERF_RECORD_EXIT:
		return parse_task(body, SIDEBAND_EXIT, out);
	case PERF_RECORD_COMM:
		return parse_comm(body, is_exec ? SIDEBAND_EXEC : SIDEBAND_COMM, out);
	case PERF_RECORD_MMAP:
		if (header->misc & PERF_RECORD_MISC_MMAP_DATA)
			return 0;
		return parse_mmap(body, out);
	case PERF_RECORD_MMAP2:
		return parse_mmap2(body, out);
	case PERF_RECORD_KSYMBOL:
		return parse_ksymbol(body, out);
	case PERF_RECORD_LOST:
		return parse_lost(body, out);
	default:
		return 0;
	}
}

int sideband_parse(const struct perf_event_header *record, size_t size, struct sideband_record *out)
{
	struct perf_event_header header;
	struct record_trailer trailer;
	struct body body;

	memset(out, 0, sizeof(*out));
	if (size < sizeof(header))
		return -EINVAL;
	memcpy(&header, record, sizeof(header));
	if (header.size > size || header.size < sizeof(header) + sizeof(trailer))
		return -EINVAL;
	memcpy(&trailer, (const uint8_t *)record + header.size - sizeof(trailer), sizeof(trailer));
	out->time_ns = trailer.time_ns;
	body.at = (const uint8_t *)record + sizeof(header);
	body.size = header.size - sizeof(header) - sizeof(trailer);
	return parse_body(&header, &body, out);
}
