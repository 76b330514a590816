// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* The ranges of the entries of .eh_frame, read in one pass. */
#include "elf_fde.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* A large browser has 40 MB. */
#define MAX_BYTES (256u << 20)
/* Bytes to read of an entry: its range is at the beginning. */
#define MAX_START 64

/* A CIE (common information entry): the pointer encoding of the FDEs that refer to it. */
struct common {
	uint64_t at;			/* offset in the section */
	uint8_t encoding;
};

struct walk {
	const struct elf_file *file;
	const struct elf_section *section;
	struct elf_window *window;
	struct common *commons;		/* ascending */
	size_t nr, capacity;
};

/* The unread bytes of an entry. */
struct bytes {
	const uint8_t *at;
	size_t left;
	bool bad;			/* a read went beyond the end */
};

static uint64_t take(struct bytes *bytes, size_t size)
{
	uint64_t value = 0;

	if (bytes->left < size) {
		bytes->bad = true;
		return 0;
	}
	for (size_t i = 0; i < size; i++)
		value |= (uint64_t)bytes->at[__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? i : size - 1 - i] << 8 * i;
	bytes->at += size;
	bytes->left -= size;
	return value;
}

static uint64_t take_leb128(struct bytes *bytes)
{
	uint64_t value = 0, byte;
	unsigned int shift = 0;

	do {
		byte = take(bytes, 1);
		if (shift < 64)
			value |= (byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80 && !bytes->bad);
	return value;
}

static uint64_t extend(uint64_t value, unsigned int bits)
{
	uint64_t sign = 1ULL << (bits - 1);

	return bits == 64 ? value : (value ^ sign) - sign;
}

/* The encoded number without its base. LEB128, which has no fixed size, is not used by compilers for this. */
static uint64_t take_encoded(struct bytes *bytes, uint8_t encoding, bool is_64bit)
{
	switch (encoding & 0x0f) {
	case DW_EH_PE_absptr:
		return take(bytes, is_64bit ? 8 : 4);
	case DW_EH_PE_udata2:
		return take(bytes, 2);
	case DW_EH_PE_udata4:
		return take(bytes, 4);
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		return take(bytes, 8);
	case DW_EH_PE_sdata2:
		return extend(take(bytes, 2), 16);
	case DW_EH_PE_sdata4:
		return extend(take(bytes, 4), 32);
	default:
		bytes->bad = true;
		return 0;
	}
}

/* Reads an address; @vaddr is the virtual address of its first byte. */
static uint64_t take_address(struct bytes *bytes, uint8_t encoding, bool is_64bit, uint64_t vaddr)
{
	uint64_t value = take_encoded(bytes, encoding, is_64bit);

	switch (encoding & 0xf0) {
	case DW_EH_PE_absptr:
		break;
	case DW_EH_PE_pcrel:
		value += vaddr;
		break;
	default:
		bytes->bad = true;
	}
	return is_64bit ? value : (uint32_t)value;
}

static void skip_routine(struct bytes *bytes, bool is_64bit)
{
	uint8_t encoding = (uint8_t)take(bytes, 1);

	/* Preceded by padding of unknown size. */
	if ((encoding & 0x70) == DW_EH_PE_aligned)
		bytes->bad = true;
	take_encoded(bytes, encoding, is_64bit);
}

/* Gets the pointer encoding from a CIE; @bytes begins at its version. */
static bool read_encoding(struct bytes *bytes, bool is_64bit, uint8_t *encoding)
{
	uint8_t version = (uint8_t)take(bytes, 1);
	char augmentation[8] = "";
	size_t length = 0;

	while (length < sizeof(augmentation) && (augmentation[length] = (char)take(bytes, 1)))
		length++;
	if (bytes->bad || length == sizeof(augmentation) || (version != 1 && version != 3))
		return false;
	*encoding = DW_EH_PE_absptr;
	if (augmentation[0] != 'z')
		return !augmentation[0];
	take_leb128(bytes);
	take_leb128(bytes);
	if (version == 1)
		take(bytes, 1);
	else
		take_leb128(bytes);
	take_leb128(bytes);
	for (size_t i = 1; i < length; i++) {
		if (augmentation[i] == 'R')
			*encoding = (uint8_t)take(bytes, 1);
		else if (augmentation[i] == 'L')
			take(bytes, 1);
		else if (augmentation[i] == 'P')
			skip_routine(bytes, is_64bit);
		else if (augmentation[i] != 'S' && augmentation[i] != 'B')
			return false;
	}
	return !bytes->bad;
}

static int add_common(struct walk *walk, uint64_t at, struct bytes *bytes)
{
	struct common *grown;
	uint8_t encoding;

	if (!read_encoding(bytes, walk->file->is_64bit, &encoding))
		return 0;
	grown = array_grow(walk->commons, walk->nr, &walk->capacity, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	walk->commons = grown;
	grown[walk->nr++] = (struct common){ .at = at, .encoding = encoding };
	return 0;
}

static const struct common *find_common(const struct walk *walk, uint64_t at)
{
	size_t low = 0, high = walk->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (walk->commons[middle].at == at)
			return &walk->commons[middle];
		if (walk->commons[middle].at < at)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/*
 * Reads the entry at @at of the section, a CIE or an FDE; its length was read before. @id_at is the offset of its CIE
 * id or pointer.
 */
static int read_entry(struct walk *walk, uint64_t at, uint64_t id_at, struct bytes *bytes, elf_fde_fn fn, void *ctx)
{
	bool is_64bit = walk->file->is_64bit;
	uint64_t id = take(bytes, 4), vaddr = walk->section->addr + id_at + 4, start, size;
	const struct common *common;

	if (bytes->bad)
		return 0;
	if (!id)
		return add_common(walk, at, bytes);
	common = id <= id_at ? find_common(walk, id_at - id) : NULL;
	if (!common)
		return 0;
	start = take_address(bytes, common->encoding, is_64bit, vaddr);
	size = take_encoded(bytes, common->encoding, is_64bit);
	/* Start 0: the linker discarded the code. */
	if (bytes->bad || !start || !size || size > UINT32_MAX)
		return 0;
	return fn(ctx, start, size);
}

/* Returns the length of the entry at file offset @offset, and sets *bytes to the size of the length field; 0: end. */
static uint64_t read_length(struct elf_window *window, uint64_t offset, unsigned int *bytes)
{
	const uint8_t *at = elf_window_at(window, offset, 4);
	uint64_t length = 0;
	uint32_t word;

	*bytes = 4;
	if (!at)
		return 0;
	memcpy(&word, at, sizeof(word));
	if (word != UINT32_MAX)
		return word;
	at = elf_window_at(window, offset + 4, sizeof(length));
	if (at)
		memcpy(&length, at, sizeof(length));
	*bytes = 12;
	return length;
}

static int walk_section(struct walk *walk, elf_fde_fn fn, void *ctx)
{
	const struct elf_section *section = walk->section;
	uint64_t end = section->size < MAX_BYTES ? section->size : MAX_BYTES, at = 0;

	while (at < end) {
		unsigned int head;
		uint64_t length = read_length(walk->window, section->offset + at, &head);
		struct bytes bytes = { 0 };
		int err;

		if (!length || end - at < head || length > end - at - head)
			return 0;
		bytes.at = elf_window_some(walk->window, section->offset + at + head,
					   length < MAX_START ? (size_t)length : MAX_START, &bytes.left);
		err = read_entry(walk, at, at + head, &bytes, fn, ctx);
		if (err)
			return err;
		at += head + length;
	}
	return 0;
}

int elf_fde_each(const struct elf_file *file, elf_fde_fn fn, void *ctx)
{
	struct walk walk = { .file = file, .section = elf_file_find(file, ".eh_frame") };
	int err;

	if (!walk.section || walk.section->type == SHT_NOBITS || walk.section->packed)
		return 0;
	walk.window = elf_window_new(file->fd);
	err = walk.window ? walk_section(&walk, fn, ctx) : -ENOMEM;
	free(walk.window);
	free(walk.commons);
	return err;
}

bool elf_fde_table(const struct elf_file *file, struct elf_window *window, uint64_t *vaddr)
{
	const struct elf_segment *hdr = &file->eh_frame_hdr;
	const uint8_t *start;
	struct bytes bytes;
	size_t got;

	start = elf_window_some(window, hdr->offset, MAX_START, &got);
	if (got < 4 || start[0] != 1)
		return false;
	/* A version byte and three encodings; the first one is that of the address. */
	bytes = (struct bytes){ .at = start + 4, .left = got - 4 };
	*vaddr = take_address(&bytes, start[1], file->is_64bit, hdr->vaddr + 4);
	return !bytes.bad;
}

void elf_fde_trim(struct elf_window *window, struct elf_section *section)
{
	uint64_t at = 0;

	while (at < section->size && at < MAX_BYTES) {
		unsigned int head;
		uint64_t length = read_length(window, section->offset + at, &head);

		if (section->size - at < head || length > section->size - at - head)
			break;
		at += head + length;
		if (!length)
			break;
	}
	section->size = at < section->size ? at : section->size;
}
