/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Opened files with code. A file is kept once, however many identities lead to it, and gives its symbols when
 * they are asked for. Only half of the descriptors that this process may have are used; then one that can be
 * done without is closed, and the owner can bring the file again. Symbols of all files together have a bounded share of
 * memory, too: those that have not been asked for longest are forgotten, and read again when they are.
 */
#ifndef TPROF_DSO_FILE_H
#define TPROF_DSO_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/log.h"
#include "elf/debug_server.h"
#include "elf/elf_cfi.h"
#include "elf/elf_unit.h"
#include "rights/broker.h"

struct dso_file;
struct dso_files;

struct dso_files *dso_files_new(const struct log *log);
void dso_files_free(struct dso_files *files);

/* Has the roots of processes opened by a broker. */
void dso_files_use_broker(struct dso_files *files, struct broker *broker);

/* Asks it for debug files that are not on this machine, from now on. */
void dso_files_ask(struct dso_files *files, struct debug_server *server);

/* Reads source lines with the symbols of each file, from now on. */
void dso_files_want_lines(struct dso_files *files);

/*
 * Takes over @fd, an open regular file. @path is for debuglinks and the log; it is in the root of
 * the process @pid, 0: in ours. Returns a reference; NULL and errno on failure, with @fd closed.
 */
struct dso_file *dso_files_add(struct dso_files *files, int fd, const char *path, pid_t pid);
/* Gives the reference back; NULL is none. What was handed out of it stays until dso_files_age(). */
void dso_file_put(struct dso_file *file);

/* What the files take of memory, without symbols and what they are unwound by, which have limits of their own. */
size_t dso_files_bytes(const struct dso_files *files);
/* For symbols, instead of MAX_NAMES_BYTES. */
void dso_files_set_max_bytes(struct dso_files *files, size_t max_bytes);

/* Can symbols be had, or were they read already? If not, the file has to be added again. */
bool dso_file_is_usable(const struct dso_file *file);
/* As fstat(2), now. False if it is not open. */
bool dso_file_stat(const struct dso_file *file, struct stat *st);
/* Is that the file, unchanged? */
bool dso_file_is(const struct dso_file *file, const struct stat *st);

/*
 * To be called now and then: forgets what has not been asked for lately, and names that were handed out, if their table
 * is forgotten. CLOCK_MONOTONIC.
 */
void dso_files_age(struct dso_files *files, uint64_t now_ns);

/* Its build id in hexadecimal, "" if it has none, or was overwritten. To be asked for before symbols are. */
const char *dso_file_build_id(struct dso_file *file);

/* As dso_has_code(). */
bool dso_file_has_code(struct dso_file *file, uint64_t offset, uint64_t size);

/* Bytes of it as they were when it was mapped. False if they cannot be had any more, or are not there. */
bool dso_file_read(const struct dso_file *file, uint64_t offset, void *to, size_t size);

/* As dso_has_bytes(). */
bool dso_file_has_bytes(struct dso_file *file, uint64_t distance, const uint8_t *bytes, size_t size, uint64_t *offset);

/* As dso_symbol(). */
bool dso_file_symbol(struct dso_file *file, uint64_t offset, const char **name, uint64_t *delta);
/* As dso_places(). */
size_t dso_file_places(struct dso_file *file, uint64_t offset, const struct elf_place **places);

/*
 * As dso_cfi(). To be asked for before symbols are. All files together have a bounded share of memory for it: those
 * that have not been asked for longest lose theirs.
 */
struct elf_cfi *dso_file_cfi(struct dso_file *file);

#endif
