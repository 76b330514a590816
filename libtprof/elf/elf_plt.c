// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Entries of the procedure linkage table: decodes their two or three instructions. */
#include "elf_plt.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define MAX_PLT_BYTES (4u << 20)	/* 250,000 entries; the largest browsers have some thousands */

/* A slot of the global offset table, and the symbol whose address the loader stores in it. */
struct slot {
	uint64_t vaddr;
	uint32_t symbol;
};

struct slots {
	struct slot *slots;
	size_t nr, capacity;
};

static bool is_function_slot(uint16_t machine, uint32_t type)
{
	switch (machine) {
	case EM_X86_64:
		return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT;
	case EM_AARCH64:
		return type == R_AARCH64_JUMP_SLOT || type == R_AARCH64_GLOB_DAT;
	}
	return false;
}

static void slots_add_all(struct slots *slots, const struct elf_file *file, const struct elf_section *section)
{
	struct elf_entries relocations;
	GElf_Rel relocation;
	struct slot *grown;

	elf_relocations_begin(&relocations, file, section);
	for (size_t i = 0; i < relocations.nr && elf_entries_relocation(&relocations, i, &relocation); i++) {
		if (!is_function_slot(file->machine, GELF_R_TYPE(relocation.r_info)))
			continue;
		grown = array_grow(slots->slots, slots->nr, &slots->capacity, sizeof(*grown));
		if (!grown)
			return;
		slots->slots = grown;
		slots->slots[slots->nr++] = (struct slot){
			.vaddr = relocation.r_offset,
			.symbol = GELF_R_SYM(relocation.r_info),
		};
	}
}

static int compare_slots(const void *left, const void *right)
{
	const struct slot *a = left, *b = right;

	return (a->vaddr > b->vaddr) - (a->vaddr < b->vaddr);
}

static const struct slot *slots_find(const struct slots *slots, uint64_t vaddr)
{
	struct slot key = { .vaddr = vaddr };

	if (!slots->nr)
		return NULL;
	return bsearch(&key, slots->slots, slots->nr, sizeof(key), compare_slots);
}

/* jmp *slot(%rip), at the start or after endbr64 or a bnd prefix. */
static bool decode_x86_64(const uint8_t *code, size_t size, uint64_t vaddr, uint64_t *slot)
{
	for (size_t at = 0; at + 6 <= size; at++) {
		int32_t distance;

		if (code[at] != 0xff || code[at + 1] != 0x25)
			continue;
		memcpy(&distance, code + at + 2, sizeof(distance));
		*slot = vaddr + at + 6 + (int64_t)distance;
		return true;
	}
	return false;
}

/* Returns the offset of the first entry; without entries, the size of the section. So does each_arm64(). */
static size_t each_x86_64(const struct slots *slots, const struct elf_section *section, const uint8_t *code,
			  elf_plt_fn fn, void *ctx)
{
	size_t size = section->entsize == 8 ? 8 : 16, first = section->size;

	for (size_t at = 0; at + size <= section->size; at += size) {
		const struct slot *slot;
		uint64_t vaddr;

		if (!decode_x86_64(code + at, size, section->addr + at, &vaddr))
			continue;
		slot = slots_find(slots, vaddr);
		if (!slot)
			continue;
		first = at < first ? at : first;
		fn(ctx, section->addr + at, (uint32_t)size, slot->symbol);
	}
	return first;
}

/* adrp x16, page; ldr x17, [x16, #offset] */
static bool decode_arm64(const uint32_t *code, uint64_t vaddr, uint64_t *slot)
{
	int64_t pages;

	if ((code[0] & 0x9f00001f) != 0x90000010 || (code[1] & 0xffc003ff) != 0xf9400211)
		return false;
	/* The page offset has 21 bits, signed: 2 low bits at bit 29, 19 high bits at bit 5. */
	pages = (code[0] >> 29 & 3) | (code[0] >> 5 & 0x7ffff) << 2;
	if (pages & 1 << 20)
		pages -= 1 << 21;
	*slot = (vaddr & ~(uint64_t)0xfff) + (uint64_t)(pages * 4096) + (uint64_t)(code[1] >> 10 & 0xfff) * 8;
	return true;
}

static size_t each_arm64(const struct slots *slots, const struct elf_section *section, const uint32_t *code,
			 elf_plt_fn fn, void *ctx)
{
	const uint32_t bti_c = 0xd503245f;
	size_t nr = section->size / sizeof(*code), first = nr;

	/*
	 * Four instructions: adrp, ldr, add, br; preceded by a landing pad if branch target identification is enabled.
	 */
	for (size_t i = 0; i + 4 <= nr; i++) {
		size_t pad = i && code[i - 1] == bti_c;
		const struct slot *slot;
		uint64_t vaddr;

		if (!decode_arm64(code + i, section->addr + i * 4, &vaddr))
			continue;
		slot = slots_find(slots, vaddr);
		if (!slot)
			continue;
		first = i - pad < first ? i - pad : first;
		fn(ctx, section->addr + (i - pad) * 4, (uint32_t)(4 + pad) * 4, slot->symbol);
	}
	return first * sizeof(*code);
}

static void each_of_section(const struct elf_file *file, const struct slots *slots, const char *name,
			    elf_plt_fn fn, void *ctx)
{
	const struct elf_section *section = elf_file_find(file, name);
	size_t first;
	void *code;

	if (!section || !section->exec || section->size > MAX_PLT_BYTES)
		return;
	code = malloc(section->size + 1);
	if (code && elf_section_read(file, section, 0, code, section->size)) {
		first = file->machine == EM_X86_64 ? each_x86_64(slots, section, code, fn, ctx) :
						     each_arm64(slots, section, code, fn, ctx);
		if (first && strcmp(name, ".plt") == 0)
			fn(ctx, section->addr, (uint32_t)first, STN_UNDEF);
	}
	free(code);
}

void elf_plt_each(const struct elf_file *file, elf_plt_fn fn, void *ctx)
{
	static const char *const relocations[] = { ".rela.plt", ".rela.dyn" };
	static const char *const plts[] = { ".plt", ".plt.sec", ".plt.got" };
	struct slots slots = { 0 };

	if (!file->is_64bit || (file->machine != EM_X86_64 && file->machine != EM_AARCH64))
		return;
	for (size_t i = 0; i < sizeof(relocations) / sizeof(*relocations); i++) {
		const struct elf_section *section = elf_file_find(file, relocations[i]);

		if (section)
			slots_add_all(&slots, file, section);
	}
	if (slots.nr) {
		qsort(slots.slots, slots.nr, sizeof(*slots.slots), compare_slots);
		for (size_t i = 0; i < sizeof(plts) / sizeof(*plts); i++)
			each_of_section(file, &slots, plts[i], fn, ctx);
	}
	free(slots.slots);
}
