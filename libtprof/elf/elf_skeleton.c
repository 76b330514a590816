// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * Generates a program with one skeleton unit. libdw connects a skeleton and its split unit only if it opens the split
 * file itself, by name. The name given here is /proc/self/fd/N.
 */
#include "elf_skeleton.h"

#include <dwarf.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAX_UNIT_BYTES (PATH_MAX + 128)

/* Copied from the skeleton unit of the program. */
struct facts {
	Dwarf_Half version;
	uint8_t address_size;
	uint64_t id;
	Dwarf_Addr low_pc;
	Dwarf_Word addr_base, ranges_base;
	const char *directory;		/* the compilation directory */
};

static Dwarf_Word offset_of(Dwarf_Die *unit, unsigned int name, unsigned int gnu_name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word offset;

	if ((dwarf_attr(unit, name, &attribute) || dwarf_attr(unit, gnu_name, &attribute)) &&
	    !dwarf_formudata(&attribute, &offset))
		return offset;
	return 0;
}

static int take_facts(Dwarf_Die *unit, struct facts *facts)
{
	Dwarf_Attribute attribute;

	*facts = (struct facts){ 0 };
	if (dwarf_cu_info(unit->cu, &facts->version, NULL, NULL, NULL, &facts->id, &facts->address_size, NULL))
		return -ENOEXEC;
	/* Base address of the ranges. */
	if (dwarf_lowpc(unit, &facts->low_pc))
		facts->low_pc = 0;
	facts->addr_base = offset_of(unit, DW_AT_addr_base, DW_AT_GNU_addr_base);
	facts->ranges_base = offset_of(unit, DW_AT_GNU_ranges_base, DW_AT_GNU_ranges_base);
	if (dwarf_attr(unit, DW_AT_comp_dir, &attribute))
		facts->directory = dwarf_formstring(&attribute);
	if (!facts->directory || strlen(facts->directory) >= PATH_MAX)
		facts->directory = "";
	return facts->address_size == 4 || facts->address_size == 8 ? 0 : -ENOEXEC;
}

/* A buffer that grows by appending bytes. */
struct writer {
	char bytes[MAX_UNIT_BYTES];
	size_t size;
};

static void put(struct writer *writer, const void *bytes, size_t size)
{
	memcpy(writer->bytes + writer->size, bytes, size);
	writer->size += size;
}

static void put_byte(struct writer *writer, unsigned int byte)
{
	put(writer, &(uint8_t){ (uint8_t)byte }, 1);
}

static void put_32(struct writer *writer, uint64_t number)
{
	put(writer, &(uint32_t){ (uint32_t)number }, 4);
}

/* An attribute in the abbreviation table, as ULEB128. */
static void put_attribute(struct writer *writer, unsigned int name, unsigned int form)
{
	for (; name >= 0x80; name >>= 7)
		put_byte(writer, (name & 0x7f) | 0x80);
	put_byte(writer, name);
	put_byte(writer, form);
}

static void write_abbrev(struct writer *writer, const struct facts *facts)
{
	bool is_v5 = facts->version >= 5;

	put_byte(writer, 1);
	put_byte(writer, is_v5 ? DW_TAG_skeleton_unit : DW_TAG_compile_unit);
	put_byte(writer, DW_CHILDREN_no);
	put_attribute(writer, DW_AT_comp_dir, DW_FORM_string);
	put_attribute(writer, is_v5 ? DW_AT_dwo_name : DW_AT_GNU_dwo_name, DW_FORM_string);
	put_attribute(writer, is_v5 ? DW_AT_addr_base : DW_AT_GNU_addr_base, DW_FORM_sec_offset);
	put_attribute(writer, DW_AT_low_pc, DW_FORM_addr);
	if (!is_v5) {
		put_attribute(writer, DW_AT_GNU_ranges_base, DW_FORM_sec_offset);
		put_attribute(writer, DW_AT_GNU_dwo_id, DW_FORM_data8);
	}
	put_attribute(writer, 0, 0);
	put_byte(writer, 0);
}

static void write_info(struct writer *writer, const struct facts *facts, int fd)
{
	uint16_t version = facts->version;
	bool is_v5 = version >= 5;
	char name[32];
	uint32_t length;

	put_32(writer, 0);
	put(writer, &version, sizeof(version));
	if (is_v5) {
		put_byte(writer, DW_UT_skeleton);
		put_byte(writer, facts->address_size);
	}
	put_32(writer, 0);
	if (is_v5)
		put(writer, &facts->id, sizeof(facts->id));
	else
		put_byte(writer, facts->address_size);
	put_byte(writer, 1);
	put(writer, facts->directory, strlen(facts->directory) + 1);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	put(writer, name, strlen(name) + 1);
	put_32(writer, facts->addr_base);
	put(writer, &facts->low_pc, facts->address_size);
	if (!is_v5) {
		put_32(writer, facts->ranges_base);
		put(writer, &facts->id, sizeof(facts->id));
	}
	length = (uint32_t)(writer->size - sizeof(length));
	memcpy(writer->bytes, &length, sizeof(length));
}

/* Replaces the data of an empty section by that of the program's section. */
static void lend(const struct elf_skeleton *skeleton, const struct elf_dwarf *from, const char *name, size_t number)
{
	const Elf_Data *lent = elf_dwarf_section(from, name);
	Elf_Data *data = elf_getdata(elf_getscn(skeleton->elf, number), NULL);

	if (!lent || !data)
		return;
	data->d_buf = lent->d_buf;
	data->d_size = lent->d_size;
}

static int make(struct elf_skeleton *skeleton, const struct elf_dwarf *from, const struct facts *facts, int fd)
{
	struct writer abbrev = { .size = 0 }, info = { .size = 0 };
	struct elf_image_part parts[] = {
		{ .name = ".debug_abbrev" }, { .name = ".debug_info" },
		{ .name = ".debug_addr", .size = 1 }, { .name = ".debug_ranges", .size = 1 },
	};
	int err;

	write_abbrev(&abbrev, facts);
	write_info(&info, facts, fd);
	parts[0].size = abbrev.size;
	parts[1].size = info.size;
	err = elf_image_new(&skeleton->image, &from->file, parts, sizeof(parts) / sizeof(parts[0]), SIZE_MAX);
	if (err)
		return err;
	memcpy(parts[0].bytes, abbrev.bytes, abbrev.size);
	memcpy(parts[1].bytes, info.bytes, info.size);
	skeleton->elf = elf_memory(skeleton->image.bytes, skeleton->image.size);
	if (!skeleton->elf)
		return -ENOMEM;
	/* Section numbers: the null section, the section names and two generated sections come first. */
	lend(skeleton, from, parts[2].name, 4);
	lend(skeleton, from, parts[3].name, 5);
	skeleton->dwarf = dwarf_begin_elf(skeleton->elf, DWARF_C_READ, NULL);
	return skeleton->dwarf ? 0 : -ENOEXEC;
}

static int find_code(const struct elf_skeleton *skeleton, Dwarf_Die *code)
{
	Dwarf_CU *unit;
	uint8_t type;

	if (dwarf_get_units(skeleton->dwarf, NULL, &unit, NULL, &type, NULL, NULL) || type != DW_UT_skeleton ||
	    dwarf_cu_info(unit, NULL, NULL, NULL, code, NULL, NULL, NULL) || !dwarf_tag(code))
		return -ENOEXEC;
	return 0;
}

static int memory_file(const struct elf_image *image)
{
	int fd = memfd_create("tprof-debugdata", MFD_CLOEXEC);
	size_t written = 0;

	if (fd < 0)
		return -errno;
	while (written < image->size) {
		ssize_t done = write(fd, image->bytes + written, image->size - written);

		if (done <= 0) {
			close(fd);
			return -ENOMEM;
		}
		written += (size_t)done;
	}
	return fd;
}

int elf_skeleton_open(struct elf_skeleton *skeleton, const struct elf_dwarf *from, Dwarf_Die *unit,
		      const struct elf_image *split, Dwarf_Die *code)
{
	struct facts facts;
	int err = take_facts(unit, &facts), fd;

	*skeleton = (struct elf_skeleton){ 0 };
	if (err)
		return err;
	fd = memory_file(split);
	if (fd < 0)
		return fd;
	err = make(skeleton, from, &facts, fd);
	if (!err)
		err = find_code(skeleton, code);
	close(fd);
	if (err)
		elf_skeleton_close(skeleton);
	return err;
}

void elf_skeleton_close(struct elf_skeleton *skeleton)
{
	dwarf_end(skeleton->dwarf);
	elf_end(skeleton->elf);
	elf_image_free(&skeleton->image);
	*skeleton = (struct elf_skeleton){ 0 };
}
