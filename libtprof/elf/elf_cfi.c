// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* The call frame information of a file: libdw reads it, and the results are cached by address. */
#include "elf_cfi.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elf_image.h"

#if defined(__x86_64__)
#define MACHINE EM_X86_64
#define MACHINE_32 EM_386
#elif defined(__aarch64__)
#define MACHINE EM_AARCH64
#define MACHINE_32 EM_NONE
#endif

/*
 * The cache holds one row of about 300 bytes for every BYTES_FOR_A_ROW bytes of call frame information, within these
 * limits.
 */
#define MIN_ROWS 256
#define MAX_ROWS 8192
#define BYTES_FOR_A_ROW 64
#define ROW_BYTES 400

/* .eh_frame or .debug_frame; both are searched in turn. */
struct source {
	struct elf_image image;
	Elf *elf;
	Dwarf *dwarf;			/* owns the CFI of .debug_frame */
	Dwarf_CFI *cfi;
};

struct elf_cfi {
	struct elf_segment *segments;
	size_t nr_segments;
	struct source eh_frame, debug_frame;
	struct hash rows;
	bool is_32bit;
};

/* Takes ownership of the image. Sections that libdw rejects are ignored. */
static void source_open(struct source *source, bool debug_frame)
{
	source->elf = elf_memory(source->image.bytes, source->image.size);
	if (source->elf && debug_frame) {
		source->dwarf = dwarf_begin_elf(source->elf, DWARF_C_READ, NULL);
		source->cfi = source->dwarf ? dwarf_getcfi(source->dwarf) : NULL;
	} else if (source->elf) {
		source->cfi = dwarf_getcfi_elf(source->elf);
	}
}

static void source_close(struct source *source)
{
	if (source->dwarf)
		dwarf_end(source->dwarf);
	else if (source->cfi)
		dwarf_cfi_end(source->cfi);
	elf_end(source->elf);
	elf_image_free(&source->image);
}

/* Reads it from the file itself, or from its debug file. */
static int read_debug_frame(struct elf_image *image, const struct elf_file *file, const struct debug_search *search,
			    size_t max_bytes)
{
	const char *name = ".debug_frame";
	int err = elf_image_read(image, file, &name, 1, max_bytes), fd;
	struct elf_file debug;

	if (err != -ENOENT)
		return err;
	fd = debug_search_open(search, file);
	if (fd < 0)
		return err;
	if (!elf_file_open(&debug, fd)) {
		if (debug.machine == file->machine && debug.is_64bit == file->is_64bit)
			err = elf_image_read(image, &debug, &name, 1, max_bytes);
		elf_file_close(&debug);
	}
	close(fd);
	return err;
}

static int read_all(struct elf_cfi *cfi, const struct elf_file *file, const struct debug_search *search,
		    size_t max_bytes)
{
	/* libdw requires .eh_frame_hdr before .eh_frame. */
	static const char *const names[] = { ".eh_frame_hdr", ".eh_frame" };
	int err, debug_err;

	if (file->machine != (file->is_64bit ? MACHINE : MACHINE_32) || !file->nr_segments)
		return -ENOEXEC;
	cfi->is_32bit = !file->is_64bit;
	err = elf_image_read(&cfi->eh_frame.image, file, names, 2, max_bytes);
	if (err == -E2BIG || err == -ENOMEM)
		return err;
	debug_err = read_debug_frame(&cfi->debug_frame.image, file, search, max_bytes - cfi->eh_frame.image.size);
	if (err && debug_err)
		return debug_err;
	cfi->segments = malloc(file->nr_segments * sizeof(*cfi->segments));
	if (!cfi->segments)
		return -ENOMEM;
	memcpy(cfi->segments, file->segments, file->nr_segments * sizeof(*cfi->segments));
	cfi->nr_segments = file->nr_segments;
	if (cfi->eh_frame.image.bytes)
		source_open(&cfi->eh_frame, false);
	if (cfi->debug_frame.image.bytes)
		source_open(&cfi->debug_frame, true);
	return cfi->eh_frame.cfi || cfi->debug_frame.cfi ? 0 : -ENOENT;
}

struct elf_cfi *elf_cfi_open(int fd, const struct debug_search *search, size_t max_bytes)
{
	struct elf_cfi *cfi = calloc(1, sizeof(*cfi));
	struct elf_file file;
	int err;

	if (!cfi)
		return NULL;
	err = elf_file_open(&file, fd);
	if (!err) {
		err = read_all(cfi, &file, search, max_bytes);
		elf_file_close(&file);
	}
	if (!err)
		return cfi;
	elf_cfi_close(cfi);
	errno = -err;
	return NULL;
}

static bool free_row(void *ctx, struct hash_node *node)
{
	(void)ctx;
	free(node);
	return false;
}

static void forget_rows(struct elf_cfi *cfi)
{
	hash_filter(&cfi->rows, free_row, NULL);
}

void elf_cfi_close(struct elf_cfi *cfi)
{
	if (!cfi)
		return;
	forget_rows(cfi);
	hash_fini(&cfi->rows);
	source_close(&cfi->eh_frame);
	source_close(&cfi->debug_frame);
	free(cfi->segments);
	free(cfi);
}

bool elf_cfi_is_32bit(const struct elf_cfi *cfi)
{
	return cfi->is_32bit;
}

static size_t image_bytes(const struct elf_cfi *cfi)
{
	return cfi->eh_frame.image.size + cfi->debug_frame.image.size;
}

static size_t max_rows(const struct elf_cfi *cfi)
{
	size_t rows = image_bytes(cfi) / BYTES_FOR_A_ROW;

	return rows < MIN_ROWS ? MIN_ROWS : rows > MAX_ROWS ? MAX_ROWS : rows;
}

/* libdw keeps its parsed form: about as large as the sections themselves. */
size_t elf_cfi_bytes(const struct elf_cfi *cfi)
{
	return 2 * image_bytes(cfi) + max_rows(cfi) * ROW_BYTES;
}

/* Converts libdw's operations for a register to a rule. Returns false if the value is unknown. */
static bool read_rule(Dwarf_Frame *frame, uint8_t reg, struct cfi_rule *rule)
{
	Dwarf_Op ops_memory[3], *ops;
	size_t nr;

	if (dwarf_frame_register(frame, reg, ops_memory, &ops, &nr) || (!nr && ops))
		return false;
	*rule = (struct cfi_rule){ .reg = reg, .kind = CFI_SAME };
	if (!nr)
		return true;
	if (ops != ops_memory) {
		if (nr > UINT16_MAX)
			return false;
		rule->kind = CFI_EXPRESSION;
		rule->nr_ops = (uint16_t)nr;
		rule->ops = ops;
		return true;
	}
	if (ops[0].atom == DW_OP_regx) {
		rule->kind = CFI_REGISTER;
		rule->number = (int64_t)ops[0].number;
		return true;
	}
	if (ops[0].atom != DW_OP_call_frame_cfa)
		return false;
	rule->kind = ops[nr - 1].atom == DW_OP_stack_value ? CFI_OFFSET : CFI_AT;
	if (nr > 1 && ops[1].atom == DW_OP_plus_uconst)
		rule->number = (int64_t)ops[1].number;
	return true;
}

static bool read_cfa(Dwarf_Frame *frame, unsigned int nr_regs, struct cfi_rule *rule)
{
	Dwarf_Op *ops;
	size_t nr;

	if (dwarf_frame_cfa(frame, &ops, &nr) || !nr || nr > UINT16_MAX)
		return false;
	/* These operations may be stored in the frame, which is freed before the row. */
	if (nr == 1 && ops[0].atom == DW_OP_bregx) {
		if (ops[0].number >= nr_regs)
			return false;
		*rule = (struct cfi_rule){
			.reg = (uint8_t)ops[0].number,
			.kind = CFI_OFFSET,
			.number = (int64_t)ops[0].number2,
		};
		return true;
	}
	*rule = (struct cfi_rule){ .kind = CFI_EXPRESSION, .nr_ops = (uint16_t)nr, .ops = ops };
	return true;
}

/* Returns NULL if there is no information for the address, or if memory is exhausted. */
static struct cfi_row *read_row(const struct source *source, unsigned int nr_regs, uint64_t vaddr)
{
	struct cfi_rule rules[CFI_NR_REGS], cfa;
	struct cfi_row *row = NULL;
	Dwarf_Frame *frame;
	uint8_t nr = 0;
	bool is_signal;
	int column;

	if (!source->cfi || dwarf_cfi_addrframe(source->cfi, vaddr, &frame))
		return NULL;
	column = dwarf_frame_info(frame, NULL, NULL, &is_signal);
	if (column >= 0 && (unsigned int)column < nr_regs && read_cfa(frame, nr_regs, &cfa)) {
		for (uint8_t reg = 0; reg < nr_regs; reg++)
			nr += read_rule(frame, reg, &rules[nr]);
		row = malloc(sizeof(*row) + nr * sizeof(*rules));
	}
	free(frame);
	if (!row)
		return NULL;
	*row = (struct cfi_row){
		.cfa = cfa, .return_column = (uint8_t)column, .signal = is_signal, .nr_rules = nr,
	};
	memcpy(row->rules, rules, nr * sizeof(*rules));
	return row;
}

const struct cfi_row *elf_cfi_find(struct elf_cfi *cfi, uint64_t offset)
{
	unsigned int nr_regs = cfi->is_32bit ? CFI_NR_REGS_32 : CFI_NR_REGS;
	struct cfi_row *row;
	uint64_t vaddr;

	if (!elf_segments_vaddr(cfi->segments, cfi->nr_segments, offset, &vaddr))
		return NULL;
	row = (struct cfi_row *)hash_find(&cfi->rows, vaddr);
	if (row)
		return row;
	row = read_row(&cfi->eh_frame, nr_regs, vaddr);
	if (!row)
		row = read_row(&cfi->debug_frame, nr_regs, vaddr);
	if (!row)
		return NULL;
	if (cfi->rows.nr >= max_rows(cfi))
		forget_rows(cfi);
	if (!hash_add(&cfi->rows, &row->node, vaddr))
		return row;
	free(row);
	return NULL;
}
