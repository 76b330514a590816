// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Headers of an ELF file: libelf checks and converts them; contents are read with pread(). */
#include "elf_file.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elf_dynamic.h"

/* libelf allocates for the number that the file claims; real programs have some dozens. */
#define MAX_SECTIONS 100000
#define MAX_SEGMENTS 4096

#if __BYTE_ORDER == __LITTLE_ENDIAN
#define HOST_BYTE_ORDER ELFDATA2LSB
#else
#define HOST_BYTE_ORDER ELFDATA2MSB
#endif

static bool read_exactly(int fd, void *buffer, size_t size, uint64_t offset)
{
	return offset <= INT64_MAX && pread(fd, buffer, size, (off_t)offset) == (ssize_t)size;
}

/* Checks the magic, the byte order, and the extended number of sections, before libelf relies on that number. */
static bool is_sane(int fd)
{
	union {
		unsigned char ident[EI_NIDENT];
		Elf64_Ehdr header64;
		Elf32_Ehdr header32;
	} elf;
	Elf64_Shdr section64;
	Elf32_Shdr section32;

	if (!read_exactly(fd, &elf, sizeof(elf.header32), 0) || memcmp(elf.ident, ELFMAG, SELFMAG) ||
	    elf.ident[EI_DATA] != HOST_BYTE_ORDER)
		return false;
	if (elf.ident[EI_CLASS] == ELFCLASS32) {
		if (!elf.header32.e_shoff || elf.header32.e_shnum)
			return true;
		return read_exactly(fd, &section32, sizeof(section32), elf.header32.e_shoff) &&
		       section32.sh_size <= MAX_SECTIONS;
	}
	if (elf.ident[EI_CLASS] != ELFCLASS64 || !read_exactly(fd, &elf, sizeof(elf.header64), 0))
		return false;
	if (!elf.header64.e_shoff || elf.header64.e_shnum)
		return true;
	return read_exactly(fd, &section64, sizeof(section64), elf.header64.e_shoff) &&
	       section64.sh_size <= MAX_SECTIONS;
}

static int read_sections(struct elf_file *file)
{
	size_t nr, names;

	if (elf_getshdrnum(file->elf, &nr) || !nr)
		return 0;	/* truncated, or stripped of its section headers */
	if (elf_getshdrstrndx(file->elf, &names))
		names = 0;
	file->sections = calloc(nr, sizeof(*file->sections));
	if (!file->sections)
		return -ENOMEM;
	file->nr_sections = nr;
	for (size_t i = 0; i < nr; i++) {
		struct elf_section *section = &file->sections[i];
		GElf_Shdr header;
		const char *name;

		section->name = "";
		if (!gelf_getshdr(elf_getscn(file->elf, i), &header))
			continue;
		name = names ? elf_strptr(file->elf, names, header.sh_name) : NULL;
		*section = (struct elf_section){
			.name = name ? name : "",
			.addr = header.sh_addr,
			.offset = header.sh_offset,
			.size = header.sh_size,
			.type = header.sh_type,
			.link = header.sh_link,
			.entsize = header.sh_entsize <= UINT32_MAX ? header.sh_entsize : 0,
			.align = header.sh_addralign <= UINT32_MAX ? header.sh_addralign : 0,
			.exec = header.sh_flags & SHF_EXECINSTR,
			.packed = header.sh_flags & SHF_COMPRESSED,
		};
	}
	return 0;
}

static void take_segment(struct elf_file *file, const GElf_Phdr *header)
{
	const struct elf_segment segment = {
		.vaddr = header->p_vaddr,
		.offset = header->p_offset,
		.size = header->p_filesz,
	};

	switch (header->p_type) {
	case PT_LOAD:
		file->loads[file->nr_loads++] = segment;
		if (header->p_flags & PF_X)
			file->segments[file->nr_segments++] = segment;
		break;
	case PT_DYNAMIC:
		file->dynamic = segment;
		break;
	case PT_GNU_EH_FRAME:
		file->eh_frame_hdr = segment;
		break;
	}
}

static int read_segments(struct elf_file *file)
{
	size_t nr;

	if (elf_getphdrnum(file->elf, &nr) || !nr)
		return 0;
	if (nr > MAX_SEGMENTS)
		return -ENOEXEC;
	file->segments = calloc(nr, sizeof(*file->segments));
	file->loads = calloc(nr, sizeof(*file->loads));
	if (!file->segments || !file->loads)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		GElf_Phdr header;

		if (gelf_getphdr(file->elf, (int)i, &header))
			take_segment(file, &header);
	}
	return 0;
}

bool elf_segments_vaddr(const struct elf_segment *segments, size_t nr, uint64_t offset, uint64_t *vaddr)
{
	for (size_t i = 0; i < nr; i++) {
		if (offset < segments[i].offset || offset - segments[i].offset >= segments[i].size)
			continue;
		*vaddr = segments[i].vaddr + (offset - segments[i].offset);
		return true;
	}
	return false;
}

bool elf_segments_offset(const struct elf_segment *segments, size_t nr, uint64_t vaddr, uint64_t *offset,
			 uint64_t *left)
{
	for (size_t i = 0; i < nr; i++) {
		if (vaddr < segments[i].vaddr || vaddr - segments[i].vaddr >= segments[i].size)
			continue;
		*offset = segments[i].offset + (vaddr - segments[i].vaddr);
		*left = segments[i].size - (vaddr - segments[i].vaddr);
		return true;
	}
	return false;
}

bool elf_segments_overlap(const struct elf_segment *segments, size_t nr, uint64_t offset, uint64_t size)
{
	for (size_t i = 0; i < nr; i++) {
		const struct elf_segment *segment = &segments[i];

		if (offset >= segment->offset && offset - segment->offset < segment->size)
			return true;
		if (offset < segment->offset && segment->offset - offset < size && segment->size)
			return true;
	}
	return false;
}

#ifdef TPROF_TAKEOVER
/* Provided by a test: simulates the actions of an attacker who controls the process after parsing a malicious file. */
void takeover(void);
#endif

int elf_file_open(struct elf_file *file, int fd)
{
	GElf_Ehdr header;
	int err;

#ifdef TPROF_TAKEOVER
	takeover();
#endif
	*file = (struct elf_file){ .fd = fd };
	elf_version(EV_CURRENT);
	if (!is_sane(fd))
		return -ENOEXEC;
	/* libelf does not say why it failed, but its allocations set errno. */
	errno = 0;
	file->elf = elf_begin(fd, ELF_C_READ, NULL);
	err = errno == ENOMEM ? -ENOMEM : -ENOEXEC;
	if (!file->elf)
		return err;
	if (elf_kind(file->elf) != ELF_K_ELF || !gelf_getehdr(file->elf, &header))
		goto err_close;
	file->machine = header.e_machine;
	file->entry = header.e_entry;
	file->is_64bit = header.e_ident[EI_CLASS] == ELFCLASS64;
	err = read_segments(file);
	if (!err)
		err = read_sections(file);
	if (!err && !file->nr_sections)
		err = elf_dynamic_sections(file);
	if (err)
		goto err_close;
	return 0;

err_close:
	elf_file_close(file);
	return err;
}

void elf_file_close(struct elf_file *file)
{
	free(file->sections);
	free(file->segments);
	free(file->loads);
	elf_end(file->elf);
	*file = (struct elf_file){ .fd = -1 };
}

const struct elf_section *elf_file_find(const struct elf_file *file, const char *name)
{
	for (size_t i = 0; i < file->nr_sections; i++) {
		if (!strcmp(file->sections[i].name, name))
			return &file->sections[i];
	}
	return NULL;
}

const struct elf_section *elf_file_find_type(const struct elf_file *file, uint32_t type)
{
	for (size_t i = 0; i < file->nr_sections; i++) {
		if (file->sections[i].type == type)
			return &file->sections[i];
	}
	return NULL;
}

const struct elf_section *elf_file_strings(const struct elf_file *file, const struct elf_section *symtab)
{
	if (symtab->link >= file->nr_sections || file->sections[symtab->link].type != SHT_STRTAB)
		return NULL;
	return &file->sections[symtab->link];
}

bool elf_section_read(const struct elf_file *file, const struct elf_section *section, uint64_t offset,
		      void *buffer, size_t size)
{
	if (section->type == SHT_NOBITS || offset > section->size || size > section->size - offset ||
	    section->offset > INT64_MAX - offset)
		return false;
	return read_exactly(file->fd, buffer, size, section->offset + offset);
}

static void entries_begin(struct elf_entries *entries, const struct elf_file *file,
			  const struct elf_section *section, size_t entry_size)
{
	*entries = (struct elf_entries){ .file = file, .section = section, .entry_size = entry_size };
	if (section->entsize == entry_size && section->type != SHT_NOBITS)
		entries->nr = section->size / entry_size;
}

void elf_symbols_begin(struct elf_entries *entries, const struct elf_file *file,
		       const struct elf_section *section)
{
	entries_begin(entries, file, section, file->is_64bit ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym));
}

void elf_versions_begin(struct elf_entries *entries, const struct elf_file *file,
			const struct elf_section *section)
{
	entries_begin(entries, file, section, sizeof(Elf64_Versym));
}

/* On all known machines, 64-bit programs use RELA and 32-bit programs REL. */
void elf_relocations_begin(struct elf_entries *entries, const struct elf_file *file,
			   const struct elf_section *section)
{
	entries_begin(entries, file, section, file->is_64bit ? sizeof(Elf64_Rela) : sizeof(Elf32_Rel));
}

/* Loads entry @index into the buffer. The file may end before the section does. */
static bool entries_load(struct elf_entries *entries, size_t index)
{
	uint64_t offset;
	ssize_t got;
	size_t nr;

	if (index >= entries->nr)
		return false;
	offset = entries->section->offset + index * entries->entry_size;
	nr = sizeof(entries->buffer) / entries->entry_size;
	if (index >= entries->first && index - entries->first < entries->nr_read)
		return true;
	if (nr > entries->nr - index)
		nr = entries->nr - index;
	if (offset > INT64_MAX)
		return false;
	got = pread(entries->file->fd, &entries->buffer, nr * entries->entry_size, (off_t)offset);
	entries->first = index;
	entries->nr_read = got < 0 ? 0 : (size_t)got / entries->entry_size;
	return entries->nr_read > 0;
}

bool elf_entries_symbol(struct elf_entries *entries, size_t index, GElf_Sym *symbol)
{
	const Elf32_Sym *narrow;

	if (!entries_load(entries, index))
		return false;
	if (entries->file->is_64bit) {
		*symbol = entries->buffer.symbols64[index - entries->first];
		return true;
	}
	narrow = &entries->buffer.symbols32[index - entries->first];
	*symbol = (GElf_Sym){
		.st_name = narrow->st_name,
		.st_info = narrow->st_info,
		.st_other = narrow->st_other,
		.st_shndx = narrow->st_shndx,
		.st_value = narrow->st_value,
		.st_size = narrow->st_size,
	};
	return true;
}

bool elf_entries_version(struct elf_entries *entries, size_t index, uint16_t *version)
{
	if (!entries_load(entries, index))
		return false;
	*version = entries->buffer.versions[index - entries->first];
	return true;
}

bool elf_entries_relocation(struct elf_entries *entries, size_t index, GElf_Rel *relocation)
{
	if (!entries_load(entries, index))
		return false;
	if (entries->file->is_64bit) {
		const Elf64_Rela *wide = &entries->buffer.rela64[index - entries->first];

		*relocation = (GElf_Rel){ .r_offset = wide->r_offset, .r_info = wide->r_info };
	} else {
		const Elf32_Rel *narrow = &entries->buffer.rel32[index - entries->first];

		*relocation = (GElf_Rel){
			.r_offset = narrow->r_offset,
			.r_info = GELF_R_INFO((uint64_t)ELF32_R_SYM(narrow->r_info),
					      ELF32_R_TYPE(narrow->r_info)),
		};
	}
	return true;
}
