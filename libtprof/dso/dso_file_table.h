/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Internals of dso_file.h: a file with code, and the table of all files. */
#ifndef TPROF_DSO_FILE_TABLE_H
#define TPROF_DSO_FILE_TABLE_H

#include "base/hash.h"
#include "dso_file.h"
#include "dso_names.h"
#include "dso_root.h"
#include "elf/elf_file.h"

/*
 * Symbols that were not used for this time are freed; reading them again takes milliseconds. Otherwise memory would
 * fill up on machines where many programs start and exit.
 */
#define DSO_FILE_IDLE_NS 20000000000ULL

/* Memory limit for all functions with their names. A large browser needs 20 MiB. */
#define DSO_FILES_NAMES_BYTES (128U << 20)

/* Number of files that are remembered as logged; beyond it, warnings may be repeated. */
#define DSO_FILES_TOLD 64

struct dso_file {
	struct hash_node node;		/* key: inode number */
	struct dso_files *files;
	struct dso_file *older, *newer;	/* in the order of opening */
	unsigned int refs;
	char *path;
	dev_t dev;
	ino_t ino;
	off_t size;
	struct timespec mtime;
	struct dso_root *root;		/* root of its processes; NULL: our own */
	int fd;				/* -1: closed to free a descriptor, or because there are no symbols */
	bool is_read;
	char *build_id;			/* NULL: not read yet */
	struct elf_segment *code;	/* NULL: not read yet, or not an ELF file */
	size_t nr_code;
	uint64_t first_vaddr;		/* virtual address of file offset 0, if is_loaded */
	bool is_loaded;
	uint64_t used_ns;		/* time of the last symbol lookup */
	uint64_t names_used;		/* sequence number of the last symbol lookup */
	struct dso_names *names;	/* NULL: no symbols */
	size_t names_bytes;		/* their memory use at the last update */
	bool cfi_is_read;
	struct elf_cfi *cfi;		/* NULL: none */
	uint64_t cfi_used;		/* sequence number of the last use */
	uint64_t cfi_aged;		/* value of cfi_used at the last check, */
	uint64_t cfi_idle_ns;		/* and the time since which it has been unchanged */
};

struct dso_files {
	struct hash by_inode;
	struct dso_file *oldest, *newest;
	const struct log *log;
	struct dso_roots roots;
	size_t nr_open, max_open;
	bool want_lines;
	size_t bytes;			/* memory use of the files without symbols and CFI */
	size_t names_bytes, max_names_bytes;
	uint64_t names_asked;		/* symbol lookups so far */
	struct dso_names_away away;	/* freed tables whose names stay valid until dso_files_age() */
	size_t cfi_bytes;
	uint64_t cfi_asked;		/* CFI lookups so far */
	struct debug_server *server;
	struct broker *broker;		/* opens root directories of processes; may be NULL */
	uint64_t told[DSO_FILES_TOLD];	/* files for which unreadable debug data was logged, */
	size_t nr_told;			/* and their total number */
};

/* Was the file modified after it was opened? */
bool dso_file_is_overwritten(const struct dso_file *file);
void dso_file_close(struct dso_file *file);

/* Frees its symbols. Names that were handed out stay valid until dso_files_age(). */
void dso_file_forget_names(struct dso_file *file);

#endif
