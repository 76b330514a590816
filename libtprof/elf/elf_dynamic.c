// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Reconstructs sections from program headers. Addresses and sizes come from the file and are not trusted. */
#include "elf_dynamic.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "elf_fde.h"
#include "elf_window.h"

/* Real programs have some dozens. */
#define MAX_DYNAMIC_ENTRIES 4096
/* The largest libraries export some hundred thousand. */
#define MAX_SYMBOLS (16u << 20)

enum made {
	MADE_NONE,
	MADE_DYNSYM,
	MADE_DYNSTR,
	MADE_RELA_PLT,
	MADE_RELA_DYN,
	MADE_EH_FRAME_HDR,
	MADE_EH_FRAME,
	NR_MADE,
};

/* Values of the dynamic section by tag; 0: not present. */
struct tags {
	uint64_t symtab, strtab, strsz, hash, gnu_hash, jmprel, pltrelsz, rela, relasz, rel, relsz;
};

static void take_tag(struct tags *tags, int64_t tag, uint64_t value)
{
	switch (tag) {
	case DT_SYMTAB:
		tags->symtab = value;
		break;
	case DT_STRTAB:
		tags->strtab = value;
		break;
	case DT_STRSZ:
		tags->strsz = value;
		break;
	case DT_HASH:
		tags->hash = value;
		break;
	case DT_GNU_HASH:
		tags->gnu_hash = value;
		break;
	case DT_JMPREL:
		tags->jmprel = value;
		break;
	case DT_PLTRELSZ:
		tags->pltrelsz = value;
		break;
	case DT_RELA:
		tags->rela = value;
		break;
	case DT_RELASZ:
		tags->relasz = value;
		break;
	case DT_REL:
		tags->rel = value;
		break;
	case DT_RELSZ:
		tags->relsz = value;
		break;
	}
}

static void read_tags(const struct elf_file *file, struct elf_window *window, struct tags *tags)
{
	size_t entry_size = file->is_64bit ? sizeof(Elf64_Dyn) : sizeof(Elf32_Dyn);
	size_t nr = file->dynamic.size / entry_size;

	for (size_t i = 0; i < nr && i < MAX_DYNAMIC_ENTRIES; i++) {
		const uint8_t *entry = elf_window_at(window, file->dynamic.offset + i * entry_size, entry_size);
		Elf64_Dyn wide;
		Elf32_Dyn narrow;

		if (!entry)
			return;
		if (file->is_64bit) {
			memcpy(&wide, entry, sizeof(wide));
		} else {
			memcpy(&narrow, entry, sizeof(narrow));
			wide = (Elf64_Dyn){ .d_tag = narrow.d_tag, .d_un.d_val = narrow.d_un.d_val };
		}
		if (wide.d_tag == DT_NULL)
			return;
		take_tag(tags, wide.d_tag, wide.d_un.d_val);
	}
}

static bool read_word(const struct elf_file *file, struct elf_window *window, uint64_t vaddr, uint32_t *word)
{
	uint64_t offset, left;
	const uint8_t *bytes;

	if (!elf_segments_offset(file->loads, file->nr_loads, vaddr, &offset, &left) || left < sizeof(*word))
		return false;
	bytes = elf_window_at(window, offset, sizeof(*word));
	if (bytes)
		memcpy(word, bytes, sizeof(*word));
	return bytes;
}

/* The table ends with the hash chain that begins last. The symbols that are not hashed (imports) come first. */
static uint32_t count_by_gnu_hash(const struct elf_file *file, struct elf_window *window, uint64_t hash)
{
	uint64_t buckets, chains;
	uint32_t nr_buckets, first, bloom_words, last = 0, word;

	if (!read_word(file, window, hash, &nr_buckets) || !read_word(file, window, hash + 4, &first) ||
	    !read_word(file, window, hash + 8, &bloom_words) || nr_buckets > MAX_SYMBOLS)
		return 0;
	buckets = hash + 16 + (uint64_t)bloom_words * (file->is_64bit ? 8 : 4);
	chains = buckets + (uint64_t)nr_buckets * 4;
	for (uint32_t i = 0; i < nr_buckets; i++) {
		if (!read_word(file, window, buckets + (uint64_t)i * 4, &word))
			return 0;
		if (word > last)
			last = word;
	}
	if (last < first)
		return first <= MAX_SYMBOLS ? first : 0;
	for (; last < MAX_SYMBOLS; last++) {
		if (!read_word(file, window, chains + (uint64_t)(last - first) * 4, &word))
			return 0;
		if (word & 1)
			return last + 1;
	}
	return 0;
}

/* No header contains the number of symbols; their hash tables do. */
static uint32_t count_symbols(const struct elf_file *file, struct elf_window *window, const struct tags *tags)
{
	uint32_t nr;

	if (tags->hash && read_word(file, window, tags->hash + 4, &nr) && nr <= MAX_SYMBOLS)
		return nr;
	return tags->gnu_hash ? count_by_gnu_hash(file, window, tags->gnu_hash) : 0;
}

/* Creates a section, limited to the end of its segment. */
static void make(struct elf_file *file, enum made which, const char *name, uint32_t type, uint64_t vaddr, uint64_t size,
		 size_t entry_size)
{
	uint64_t offset, left;

	if (!vaddr || !size || !elf_segments_offset(file->loads, file->nr_loads, vaddr, &offset, &left))
		return;
	file->sections[which] = (struct elf_section){
		.name = name,
		.addr = vaddr,
		.offset = offset,
		.size = size < left ? size : left,
		.type = type,
		.link = type == SHT_DYNSYM ? MADE_DYNSTR : 0,
		.entsize = (uint32_t)entry_size,
		.align = 8,
	};
}

static void make_dynamic(struct elf_file *file, struct elf_window *window)
{
	size_t symbol_size = file->is_64bit ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	size_t relocation_size = file->is_64bit ? sizeof(Elf64_Rela) : sizeof(Elf32_Rel);
	struct tags tags = { 0 };

	read_tags(file, window, &tags);
	make(file, MADE_DYNSYM, ".dynsym", SHT_DYNSYM, tags.symtab,
	     (uint64_t)count_symbols(file, window, &tags) * symbol_size, symbol_size);
	make(file, MADE_DYNSTR, ".dynstr", SHT_STRTAB, tags.strtab, tags.strsz, 0);
	make(file, MADE_RELA_PLT, ".rela.plt", file->is_64bit ? SHT_RELA : SHT_REL, tags.jmprel, tags.pltrelsz,
	     relocation_size);
	make(file, MADE_RELA_DYN, ".rela.dyn", file->is_64bit ? SHT_RELA : SHT_REL,
	     file->is_64bit ? tags.rela : tags.rel, file->is_64bit ? tags.relasz : tags.relsz, relocation_size);
}

static void make_frames(struct elf_file *file, struct elf_window *window)
{
	const struct elf_segment *hdr = &file->eh_frame_hdr;
	uint64_t vaddr;

	make(file, MADE_EH_FRAME_HDR, ".eh_frame_hdr", SHT_PROGBITS, hdr->vaddr, hdr->size, 0);
	if (!elf_fde_table(file, window, &vaddr))
		return;
	make(file, MADE_EH_FRAME, ".eh_frame", SHT_PROGBITS, vaddr, UINT64_MAX, 0);
	elf_fde_trim(window, &file->sections[MADE_EH_FRAME]);
}

int elf_dynamic_sections(struct elf_file *file)
{
	struct elf_window *window;

	if (!file->dynamic.size && !file->eh_frame_hdr.size)
		return 0;
	window = elf_window_new(file->fd);
	file->sections = calloc(NR_MADE, sizeof(*file->sections));
	if (!window || !file->sections) {
		free(window);
		return -ENOMEM;
	}
	file->nr_sections = NR_MADE;
	file->no_headers = true;
	for (size_t i = 0; i < NR_MADE; i++)
		file->sections[i].name = "";
	if (file->dynamic.size)
		make_dynamic(file, window);
	if (file->eh_frame_hdr.size)
		make_frames(file, window);
	free(window);
	return 0;
}
