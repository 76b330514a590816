/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* What a file with code and the table of all of them are, for the parts of dso_file.h. */
#ifndef TPROF_DSO_FILE_TABLE_H
#define TPROF_DSO_FILE_TABLE_H

#include "base/hash.h"
#include "dso_file.h"
#include "dso_names.h"
#include "dso_root.h"
#include "elf/elf_file.h"

/*
 * What nobody has asked for so long is forgotten; reading them again takes milliseconds. A machine on
 * which programs come and go would otherwise fill the memory with what they had.
 */
#define DSO_FILE_IDLE_NS 20000000000ULL

/* What the functions of all of them may take with their names. A large browser's are 20 MiB. */
#define DSO_FILES_NAMES_BYTES (128U << 20)

/* Of more files than that it may be told again. */
#define DSO_FILES_TOLD 64

struct dso_file {
	struct hash_node node;		/* by inode number */
	struct dso_files *files;
	struct dso_file *older, *newer;	/* in order of opening */
	unsigned int refs;
	char *path;
	dev_t dev;
	ino_t ino;
	off_t size;
	struct timespec mtime;
	struct dso_root *root;		/* that its processes have; NULL: ours */
	int fd;				/* -1: closed to make room, or because it has no symbols */
	bool is_read;
	char *build_id;			/* NULL: not looked for yet */
	struct elf_segment *code;	/* NULL: not looked for yet, or no ELF file */
	size_t nr_code;
	uint64_t first_vaddr;		/* of the file's first byte, if is_loaded */
	bool is_loaded;
	uint64_t used_ns;		/* when a symbol was last asked for */
	uint64_t names_used;		/* the same as a number that grows */
	struct dso_names *names;	/* NULL if it has no symbols */
	size_t names_bytes;		/* what they took when that was last looked at */
	bool cfi_is_read;
	struct elf_cfi *cfi;		/* NULL if it has none */
	uint64_t cfi_used;		/* a number that grows: when it was last asked for */
	uint64_t cfi_aged;		/* the same, when it was last looked at, */
	uint64_t cfi_idle_ns;		/* and since when it has not changed */
};

struct dso_files {
	struct hash by_inode;
	struct dso_file *oldest, *newest;
	const struct log *log;
	struct dso_roots roots;
	size_t nr_open, max_open;
	bool want_lines;
	size_t bytes;			/* of the files as such, without what is read of them */
	size_t names_bytes, max_names_bytes;
	uint64_t names_asked;		/* how often */
	struct dso_names_away away;	/* until dso_files_age(): their names are in use */
	size_t cfi_bytes;
	uint64_t cfi_asked;		/* how often */
	struct debug_server *server;
	struct broker *broker;		/* opens roots of processes; may be NULL */
	uint64_t told[DSO_FILES_TOLD];	/* files of which it was told that debug data cannot be read, */
	size_t nr_told;			/* and how many there were */
};

/* Has it been written to since it was opened? */
bool dso_file_is_overwritten(const struct dso_file *file);
void dso_file_close(struct dso_file *file);

/* Gives the memory of its names back, but for what was handed out, which stays until dso_files_age(). */
void dso_file_forget_names(struct dso_file *file);

#endif
