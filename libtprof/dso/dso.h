/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Files that code was mapped from: programs, shared libraries, the vdso, JIT memory. A dso is known by its
 * identity (what the kernel said when it was mapped), opened while that is still possible, and read for
 * symbols only when an address in it has to be named.
 *
 * A file on disk is used only if it is the one that was mapped: same device, inode and generation, not written since.
 * Anything else would give wrong names; then the dso has no symbols and addresses become [object+0xoffset].
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
struct dso;	/* one identity; belongs to its table, is there until dsos_age() or as long as somebody refers to it */
struct dsos;	/* the table: all that are mapped, or were a while ago, each once */

/* Who the kernel says it is. */
struct dso_id {
	const char *path;		/* as in /proc/PID/maps; may end in " (deleted)", may be "//anon", "[vdso]" */
	uint32_t maj, min;		/* of the superblock; stat(2) may say another */
	uint64_t ino;			/* 0: no file */
	uint64_t generation;		/* of the inode: a file that inherits the number has another */
	bool has_generation;		/* events tell it, /proc/PID/maps does not */
};

struct dsos *dsos_new(const struct log *log);
void dsos_free(struct dsos *dsos);

/* Has what is other processes' opened by a broker, which stays the caller's. */
void dsos_use_broker(struct dsos *dsos, struct broker *broker);
struct broker *dsos_broker(const struct dsos *dsos);

/* Asks a server for debug files that are not on this machine; it stays the caller's. */
void dsos_ask(struct dsos *dsos, struct debug_server *server);

/* Has dso_places() say something. Before any symbol is asked for. */
void dsos_want_lines(struct dsos *dsos);

/*
 * Finds or makes the dso. With @pid > 0 and a dso that is not known yet, the file is opened at once by way of
 * /proc/PID/map_files/START-END or /proc/PID/root, so that it can still be read when it has been deleted or
 * the process is gone. With @pid == 0 that is left for dso_open_late(). @time_ns: when it was mapped, or seen to
 * be (CLOCK_MONOTONIC). A file that changed after that is another one. Nobody refers to it by that: dso_ref().
 */
struct dso *dsos_get(struct dsos *dsos, const struct dso_id *id, pid_t pid, uint64_t start, uint64_t end,
		     uint64_t time_ns);

/* Opens a file that was not opened yet, through a process that has it mapped at [start, end). */
void dso_open_late(struct dso *dso, pid_t pid, uint64_t start, uint64_t end);

/* Whoever keeps a dso longer than until dsos_age() refers to it. NULL is put as well. */
struct dso *dso_ref(struct dso *dso);
void dso_put(struct dso *dso);

/*
 * To be called now and then: forgets symbols that have not been asked for lately, dsos that nobody has referred to for
 * a while, and the names of both. @now_ns: clock_own_ns().
 */
void dsos_age(struct dsos *dsos, uint64_t now_ns);

/* How many there are. */
size_t dsos_nr(const struct dsos *dsos);
/* Do all of them take so much memory that who has many already may bring no more? */
bool dsos_are_many(const struct dsos *dsos);
/* For tests: from which size on they are many, and what all symbols together may take. */
void dsos_set_max_bytes(struct dsos *dsos, size_t many_bytes, size_t names_bytes);

/* Are these the same file, as far as they were opened, or the same identity? */
bool dso_is_same(const struct dso *a, const struct dso *b);

/* Path as mapped, without " (deleted)". */
const char *dso_path(const struct dso *dso);
/* Last component of the path, or "[vdso]", "[jit]" (executable memory without a file), ... */
const char *dso_name(const struct dso *dso);
/* Is there a file at that path, or was there: neither the vdso, nor memory? */
bool dso_is_file(const struct dso *dso);
/* In hexadecimal, "" if it is not known. Of a file that was opened, to be asked for before its symbols are. */
const char *dso_build_id(struct dso *dso);
/* Executable memory without a file: named by perf-PID.map, not by this dso. */
bool dso_is_anonymous(const struct dso *dso);
/* The same, or that of a file that is known to be no ELF file, as some compilers have. */
bool dso_may_be_jit(const struct dso *dso);

/*
 * Names a byte of the file. @offset is a file offset (address - mapping start + mapping page offset).
 * @name is demangled and stays valid until dsos_age(), @delta is the distance from the start of the symbol.
 * Returns false if no symbol covers it; then @delta is the distance from the start of the function all the same, if
 * the file tells, or 0.
 */
bool dso_symbol(struct dso *dso, uint64_t offset, const char **name, uint64_t *delta);

/*
 * Where a byte of the file comes from in the source, as elf_lines_find() says it, with readable names. @places stays
 * until the next question, the strings in there until dsos_age().
 */
size_t dso_places(struct dso *dso, uint64_t offset, const struct elf_place **places);

/*
 * Is any of @size bytes from @offset code? A file can be mapped executable as a whole, with its data and the gaps in
 * it, when only a part is to stay so. True where nothing tells.
 */
bool dso_has_code(struct dso *dso, uint64_t offset, uint64_t size);

/*
 * What the instructions around a byte of the file tell of a return to it. CALL_SITE_UNKNOWN where they cannot be read:
 * in memory without a file above all.
 */
enum call_site dso_call_site(struct dso *dso, uint64_t offset, enum call_site_machine machine);
/* Is a program that was interrupted there at the system call that ends the handling of a signal? */
bool dso_in_signal_return(struct dso *dso, uint64_t offset, enum call_site_machine machine);

/*
 * Is the code at @distance from where the first byte of the file is mapped these @size bytes, a page or less? Then
 * @offset says which byte of the file the first of them is. What is behind the code in the page does not count.
 */
bool dso_has_bytes(struct dso *dso, uint64_t distance, const uint8_t *bytes, size_t size, uint64_t *offset);

/* How its functions are unwound; NULL if nothing tells. Valid until another dso is asked for. */
struct elf_cfi *dso_cfi(struct dso *dso);

#endif
