/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Opened files with code. A file is stored once even if several identities refer to it, and its symbols are read on
 * demand. At most half of the process's file descriptors are used; beyond that, a file that is not needed is closed,
 * and its owner can add it again. All symbols share a memory limit: the least recently used ones are freed, and read
 * again when needed.
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

/* Opens the root directories of processes through a broker. */
void dso_files_use_broker(struct dso_files *files, struct broker *broker);

/* Downloads missing debug files from @server from now on. */
void dso_files_ask(struct dso_files *files, struct debug_server *server);

/* Reads source lines along with symbols from now on. */
void dso_files_want_lines(struct dso_files *files);

/*
 * Takes ownership of @fd, an open regular file. @path is for debuglinks and the log; it is relative to the root of the
 * process @pid (0: our own root). Returns a reference. Returns NULL and sets errno on failure; @fd is then closed.
 */
struct dso_file *dso_files_add(struct dso_files *files, int fd, const char *path, pid_t pid);
/* Drops a reference; accepts NULL. Strings from the file remain valid until dso_files_age(). */
void dso_file_put(struct dso_file *file);

/* Memory use of the files, without symbols and call frame information, which have their own limits. */
size_t dso_files_bytes(const struct dso_files *files);
/* Overrides DSO_FILES_NAMES_BYTES, the memory limit of symbols. */
void dso_files_set_max_bytes(struct dso_files *files, size_t max_bytes);

/* Are symbols loaded, or can they be loaded? If not, the file has to be added again. */
bool dso_file_is_usable(const struct dso_file *file);
/* fstat(2) of the open file. Returns false if it is not open. */
bool dso_file_stat(const struct dso_file *file, struct stat *st);
/* Is @st this file, unmodified? */
bool dso_file_is(const struct dso_file *file, const struct stat *st);

/*
 * Call it periodically. Frees what was not used recently, and the names that were handed out from tables that have been
 * freed. @now_ns: CLOCK_MONOTONIC.
 */
void dso_files_age(struct dso_files *files, uint64_t now_ns);

/* Build id in hexadecimal; "" if it has none or was overwritten. Call it before symbol lookups. */
const char *dso_file_build_id(struct dso_file *file);

/* Like dso_has_code(). */
bool dso_file_has_code(struct dso_file *file, uint64_t offset, uint64_t size);

/*
 * Reads bytes of the file as it was when it was mapped. Returns false if the file has changed or is closed, or does not
 * have them.
 */
bool dso_file_read(const struct dso_file *file, uint64_t offset, void *to, size_t size);

/* Like dso_has_bytes(). */
bool dso_file_has_bytes(struct dso_file *file, uint64_t distance, const uint8_t *bytes, size_t size, uint64_t *offset);

/* Like dso_symbol(). */
bool dso_file_symbol(struct dso_file *file, uint64_t offset, const char **name, uint64_t *delta);
/* Like dso_places(). */
size_t dso_file_places(struct dso_file *file, uint64_t offset, const struct elf_place **places);

/*
 * Like dso_cfi(). Call it before symbol lookups. All files share a memory limit: the least recently used call frame
 * information is freed.
 */
struct elf_cfi *dso_file_cfi(struct dso_file *file);

#endif
