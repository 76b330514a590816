/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Headers of an ELF file of either class, converted to one form. Contents are read with pread() on demand, so a file
 * that is truncated or overwritten causes short reads but no faults.
 */
#ifndef TPROF_ELF_FILE_H
#define TPROF_ELF_FILE_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_section {
	const char *name;	/* owned by the file; "": no name */
	uint64_t addr, offset, size;
	uint32_t type, link, entsize, align;
	bool exec, packed;
};

/* A loaded segment. */
struct elf_segment {
	uint64_t vaddr, offset, size;	/* size in the file */
};

struct elf_file {
	int fd;			/* not owned */
	Elf *elf;
	bool is_64bit;
	uint16_t machine;	/* EM_X86_64, ... */
	uint64_t entry;		/* entry point */
	struct elf_section *sections;
	size_t nr_sections;
	bool no_headers;	/* no section headers; elf_dynamic.h created the sections */
	struct elf_segment *segments;	/* executable segments */
	size_t nr_segments;
	struct elf_segment *loads;	/* all PT_LOAD segments */
	size_t nr_loads;
	struct elf_segment dynamic, eh_frame_hdr;	/* PT_DYNAMIC and PT_GNU_EH_FRAME; size 0: none */
};

/* Errors: ENOEXEC (not an ELF file of this machine's byte order, or malformed), ENOMEM. */
int elf_file_open(struct elf_file *file, int fd);
void elf_file_close(struct elf_file *file);

/* Converts a file offset to a virtual address. Returns false if no segment contains it. */
bool elf_segments_vaddr(const struct elf_segment *segments, size_t nr, uint64_t offset, uint64_t *vaddr);
/* Converts a virtual address to a file offset, and gets the number of bytes from there to the end of the segment. */
bool elf_segments_offset(const struct elf_segment *segments, size_t nr, uint64_t vaddr, uint64_t *offset,
			 uint64_t *left);
/* Does a segment contain any of the @size bytes at @offset? */
bool elf_segments_overlap(const struct elf_segment *segments, size_t nr, uint64_t offset, uint64_t size);

/* Returns NULL if not found. */
const struct elf_section *elf_file_find(const struct elf_file *file, const char *name);
const struct elf_section *elf_file_find_type(const struct elf_file *file, uint32_t type);
/* The string table of a symbol table; NULL if there is none. */
const struct elf_section *elf_file_strings(const struct elf_file *file, const struct elf_section *symtab);

/* Reads exactly @size bytes at @offset of a section's contents. */
bool elf_section_read(const struct elf_file *file, const struct elf_section *section, uint64_t offset,
		      void *buffer, size_t size);
/* Buffered access to a section of equal-sized entries, sequential or random. */
struct elf_entries {
	const struct elf_file *file;
	const struct elf_section *section;
	size_t nr;
	size_t entry_size;
	size_t first, nr_read;	/* the entries in the buffer */
	union {
		Elf64_Sym symbols64[1024];
		Elf32_Sym symbols32[1536];
		Elf64_Rela rela64[1024];
		Elf32_Rel rel32[3072];
		Elf64_Versym versions[12288];
	} buffer;
};

void elf_symbols_begin(struct elf_entries *entries, const struct elf_file *file,
		       const struct elf_section *section);
void elf_relocations_begin(struct elf_entries *entries, const struct elf_file *file,
			   const struct elf_section *section);
void elf_versions_begin(struct elf_entries *entries, const struct elf_file *file,
			const struct elf_section *section);
bool elf_entries_symbol(struct elf_entries *entries, size_t index, GElf_Sym *symbol);
bool elf_entries_version(struct elf_entries *entries, size_t index, uint16_t *version);
/* Without the addend. r_info has the 64-bit form. */
bool elf_entries_relocation(struct elf_entries *entries, size_t index, GElf_Rel *relocation);

#endif
