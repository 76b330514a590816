// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * Hides the module's half of a filter object from libbpf. Nothing in the file is trusted: inconsistent parts are left
 * as they are, for libbpf to reject.
 */
#include <bpf/btf.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/libbpf_log.h"
#include "filter_image_elf.h"

/* All functions of the module have this prefix. */
#define KFUNC_PREFIX "tprof_"
/* Their section in BTF. */
#define KSYMS_SEC ".ksyms"

/* True for sections of struct_ops programs and maps, and of their relocations. */
static bool is_kmod_section(const char *name)
{
	if (strncmp(name, ".rel", 4) == 0)
		name += 4;
	return strncmp(name, "struct_ops/", strlen("struct_ops/")) == 0 ||
	       strcmp(name, ".struct_ops.link") == 0;
}

static void hide_sections(const struct sections *sections)
{
	for (size_t i = 0; i < sections->nr; i++) {
		Elf64_Shdr header = image_section(sections, i);

		if (!is_kmod_section(image_section_name(sections, &header)))
			continue;
		header.sh_type = SHT_NULL;
		image_set_section(sections, i, &header);
	}
}

static bool is_extern(const Elf64_Sym *symbol)
{
	unsigned int bind = ELF64_ST_BIND(symbol->st_info);

	return symbol->st_shndx == SHN_UNDEF && (bind == STB_GLOBAL || bind == STB_WEAK) &&
	       ELF64_ST_TYPE(symbol->st_info) == STT_NOTYPE;
}

/* True if there are module functions, and no other symbols that need the kernel's BTF. */
static bool only_kfuncs_are_extern(const struct symbols *symbols)
{
	size_t nr = 0;

	for (size_t i = 1; i < symbols->nr; i++) {
		Elf64_Sym symbol = image_symbol(symbols, i);

		if (!is_extern(&symbol))
			continue;
		if (symbol.st_name >= symbols->names_size ||
		    strncmp(symbols->names + symbol.st_name, KFUNC_PREFIX, strlen(KFUNC_PREFIX)) != 0)
			return false;
		nr++;
	}
	return nr;
}

/* Replaces each call, which is in dead code, by "r0 = 0" and removes its relocation. */
static void remove_calls(const struct sections *sections, const struct symbols *symbols)
{
	const struct bpf_insn zero = { .code = BPF_ALU64 | BPF_MOV | BPF_K };

	for (size_t i = 0; i < sections->nr; i++) {
		Elf64_Shdr header = image_section(sections, i), code;
		char *relocations = sections->base + header.sh_offset;
		size_t nr = header.sh_size / sizeof(Elf64_Rel), kept = 0;

		if (header.sh_type != SHT_REL || header.sh_info >= sections->nr)
			continue;
		code = image_section(sections, header.sh_info);
		if (!(code.sh_flags & SHF_EXECINSTR) || code.sh_type != SHT_PROGBITS)
			continue;
		for (size_t r = 0; r < nr; r++) {
			Elf64_Sym symbol;
			Elf64_Rel rel;

			memcpy(&rel, relocations + r * sizeof(rel), sizeof(rel));
			symbol = image_symbol(symbols, ELF64_R_SYM(rel.r_info));
			if (is_extern(&symbol) && code.sh_size >= sizeof(zero) &&
			    rel.r_offset <= code.sh_size - sizeof(zero))
				memcpy(sections->base + code.sh_offset + rel.r_offset, &zero, sizeof(zero));
			else
				memcpy(relocations + kept++ * sizeof(rel), &rel, sizeof(rel));
		}
		header.sh_size = kept * sizeof(Elf64_Rel);
		image_set_section(sections, i, &header);
	}
}

static void make_local(const struct symbols *symbols)
{
	for (size_t i = 1; i < symbols->nr; i++) {
		Elf64_Sym symbol = image_symbol(symbols, i);

		if (!is_extern(&symbol))
			continue;
		symbol.st_info = ELF64_ST_INFO(STB_LOCAL, STT_NOTYPE);
		memcpy(symbols->at + i * sizeof(symbol), &symbol, sizeof(symbol));
	}
}

/* Finds any integer type and sets *size. 0 if there is none. */
static uint32_t find_int(const struct btf *btf, uint32_t *size)
{
	for (uint32_t id = 1; id < btf__type_cnt(btf); id++) {
		const struct btf_type *type = btf__type_by_id(btf, id);

		if (btf_is_int(type)) {
			*size = type->size;
			return id;
		}
	}
	return 0;
}

/*
 * The kernel rejects BTF with extern functions, or with a section that contains one. Types cannot be removed, so they
 * are replaced by types of the same length: a typedef of an integer, and a union of integers.
 */
static void replace_type(struct btf_type *type, bool is_ksyms, uint32_t int_id, uint32_t int_size)
{
	struct btf_member *members = (struct btf_member *)(type + 1);
	uint32_t nr = btf_vlen(type);

	if (btf_is_func(type) && nr == BTF_FUNC_EXTERN) {
		type->info = BTF_KIND_TYPEDEF << 24;
		type->type = int_id;
	} else if (is_ksyms) {
		_Static_assert(sizeof(struct btf_member) == sizeof(struct btf_var_secinfo), "same length");
		*type = (struct btf_type){ .info = BTF_KIND_UNION << 24 | nr, .size = int_size };
		for (uint32_t i = 0; i < nr; i++)
			members[i] = (struct btf_member){ .type = int_id };
	}
}

/* False if the types cannot be parsed. */
static bool hide_types(char *bytes, size_t size)
{
	struct libbpf_log said;
	struct btf *btf;
	uint32_t int_id, int_size = 0, raw_size = 0;
	const void *raw;

	libbpf_log_begin(&said, NULL);
	btf = btf__new(bytes, (uint32_t)size);
	libbpf_log_end(&said);
	int_id = btf ? find_int(btf, &int_size) : 0;
	for (uint32_t id = 1; int_id && id < btf__type_cnt(btf); id++) {
		struct btf_type *type = (struct btf_type *)btf__type_by_id(btf, id);
		bool is_ksyms = btf_is_datasec(type) &&
				strcmp(btf__name_by_offset(btf, type->name_off), KSYMS_SEC) == 0;

		replace_type(type, is_ksyms, int_id, int_size);
	}
	/* libbpf has changed its own copy. */
	raw = int_id ? btf__raw_data(btf, &raw_size) : NULL;
	if (raw && raw_size == size)
		memcpy(bytes, raw, size);
	btf__free(btf);
	return raw && raw_size == size;
}

void filter_image_hide_kmod(struct filter_image *image)
{
	struct sections sections;
	struct symbols symbols;
	Elf64_Shdr types;

	if (!image_sections(image, &sections))
		return;
	hide_sections(&sections);
	if (!image_symbols(image, &sections, &symbols) || !only_kfuncs_are_extern(&symbols) ||
	    !image_find_section(&sections, SHT_PROGBITS, BTF_ELF_SEC, &types) ||
	    !hide_types(image->bytes + types.sh_offset, types.sh_size))
		return;
	remove_calls(&sections, &symbols);
	make_local(&symbols);
}
