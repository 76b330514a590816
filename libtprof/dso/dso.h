/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Files that code was mapped from (dynamic shared objects): programs, shared libraries, the vdso, JIT memory. A dso is
 * known by its identity, which the kernel reported for the mapping. It is opened while that is still possible, and its
 * symbols are read only when an address in it is symbolized.
 *
 * A file on disk is used only if it is the mapped one: same device, inode and generation, and not modified since.
 * Otherwise names would be wrong; the dso then has no symbols, and its addresses are shown as [object+0xoffset].
 */
#ifndef TPROF_DSO_H
#define TPROF_DSO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/log.h"
#include "call_site.h"
#include "elf/debug_server.h"
#include "elf/elf_unit.h"
#include "rights/broker.h"

struct elf_cfi;
struct dso;	/* one identity; owned by its table; valid until dsos_age(), or as long as there is a reference */
struct dsos;	/* the table of all dsos that are mapped, or were recently; each once */

/* The identity that the kernel reports. */
struct dso_id {
	const char *path;		/* as in /proc/PID/maps; may end in " (deleted)" or be "//anon", "[vdso]" */
	uint32_t maj, min;		/* device of the superblock; stat(2) may differ */
	uint64_t ino;			/* 0: no file */
	uint64_t generation;		/* inode generation: differs after the inode number is reused */
	bool has_generation;		/* events report it, /proc/PID/maps does not */
};

struct dsos *dsos_new(const struct log *log);
void dsos_free(struct dsos *dsos);

/* Opens other processes' files through a broker, which remains owned by the caller. */
void dsos_use_broker(struct dsos *dsos, struct broker *broker);
struct broker *dsos_broker(const struct dsos *dsos);

/* Downloads missing debug files from a server, which remains owned by the caller. */
void dsos_ask(struct dsos *dsos, struct debug_server *server);

/* Enables dso_places(). Call it before the first symbol lookup. */
void dsos_want_lines(struct dsos *dsos);

/*
 * Finds or adds a dso. If @pid > 0 and the dso is new, its file is opened at once through /proc/PID/map_files/START-END
 * or /proc/PID/root, so that it can be read even after it was deleted or the process has exited. If @pid == 0, opening
 * is left to dso_open_late(). @time_ns: when it was mapped or found mapped (CLOCK_MONOTONIC); a file that was modified
 * later is a different one. Takes no reference: use dso_ref().
 */
struct dso *dsos_get(struct dsos *dsos, const struct dso_id *id, pid_t pid, uint64_t start, uint64_t end,
		     uint64_t time_ns);

/* Opens a file that is not open yet, through a process that has it mapped at [start, end). */
void dso_open_late(struct dso *dso, pid_t pid, uint64_t start, uint64_t end);

/* A reference keeps a dso beyond dsos_age(). dso_put() accepts NULL. */
struct dso *dso_ref(struct dso *dso);
void dso_put(struct dso *dso);

/*
 * Call it periodically. Frees symbols that were not used recently, dsos that have had no reference for a while, and the
 * names of both. @now_ns: clock_own_ns().
 */
void dsos_age(struct dsos *dsos, uint64_t now_ns);

/* Number of dsos in the table. */
size_t dsos_nr(const struct dsos *dsos);
/* Do the dsos use so much memory that a process with many of them may not add more? */
bool dsos_are_many(const struct dsos *dsos);
/* For tests: sets the limit for dsos_are_many(), and the memory limit for all symbols. */
void dsos_set_max_bytes(struct dsos *dsos, size_t many_bytes, size_t names_bytes);

/* Are they the same opened file or the same identity? */
bool dso_is_same(const struct dso *a, const struct dso *b);

/* The mapped path, without " (deleted)". */
const char *dso_path(const struct dso *dso);
/* Last component of the path, or "[vdso]", "[jit]" (executable memory without a file), ... */
const char *dso_name(const struct dso *dso);
/* Is it a file with a path, possibly deleted, as opposed to the vdso or memory? */
bool dso_is_file(const struct dso *dso);
/* In hexadecimal; "" if unknown. Call it before symbol lookups: they may close the file. */
const char *dso_build_id(struct dso *dso);
/* Executable memory without a file: symbolized with perf-PID.map, not by this dso. */
bool dso_is_anonymous(const struct dso *dso);
/* The same, or a mapped file that is not an ELF file, as some JIT compilers use. */
bool dso_may_be_jit(const struct dso *dso);

/*
 * Symbolizes a byte of the file. @offset is a file offset (address - mapping start + mapping page offset). @name is
 * demangled and valid until dsos_age(); @delta is the distance from the start of the symbol. Returns false if there is
 * no name; @delta is then the distance from the start of the function if the unwind table has it, else 0.
 */
bool dso_symbol(struct dso *dso, uint64_t offset, const char **name, uint64_t *delta);

/*
 * Source places of a byte of the file, as in elf_lines_find(), with demangled names. @places is valid until the next
 * call, its strings until dsos_age().
 */
size_t dso_places(struct dso *dso, uint64_t offset, const struct elf_place **places);

/*
 * Does the range [offset, offset + size) contain code? A file can be mapped executable as a whole first, including data
 * and gaps, before parts of it are remapped. Returns true if unknown.
 */
bool dso_has_code(struct dso *dso, uint64_t offset, uint64_t size);

/*
 * Whether a byte of the file is a return address, from the instructions around it. CALL_SITE_UNKNOWN if they cannot be
 * read, in particular in memory without a file.
 */
enum call_site dso_call_site(struct dso *dso, uint64_t offset, enum call_site_machine machine);
/* Is this byte part of the code that returns from a signal handler? */
bool dso_in_signal_return(struct dso *dso, uint64_t offset, enum call_site_machine machine);

/*
 * Compares code: are these @size bytes (at most a page) the code at @distance from the address where the first byte of
 * the file is mapped? If so, @offset is the file offset of the first of them. Bytes after the end of the code in the
 * page are ignored.
 */
bool dso_has_bytes(struct dso *dso, uint64_t distance, const uint8_t *bytes, size_t size, uint64_t *offset);

/* Call frame information of the dso; NULL if there is none. Valid until the next call for another dso. */
struct elf_cfi *dso_cfi(struct dso *dso);

#endif
