// SPDX-License-Identifier: GPL-2.0-only
/*
 * QEMU plugin that counts the executed instructions of each translation block between two addresses of the guest.
 *
 *	-plugin count_blocks.so,begin=0xADDRESS,end=0xADDRESS,out=FILE
 *
 * Execution at begin restarts the counts; execution at end writes them as lines "ADDRESS INSTRUCTIONS". Other
 * programs may have code at these addresses, so the lines with the largest sum stay. For guests with one CPU.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The part of the QEMU plugin API, version 4, that is used here. Debian ships no header. */
typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
struct qemu_plugin_scoreboard;
typedef struct {
	struct qemu_plugin_scoreboard *score;
	size_t offset;
} qemu_plugin_u64;
enum { QEMU_PLUGIN_INLINE_ADD_U64 };
enum { QEMU_PLUGIN_CB_NO_REGS };
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
					   void (*translated)(qemu_plugin_id_t id, struct qemu_plugin_tb *tb));
struct qemu_plugin_scoreboard *qemu_plugin_scoreboard_new(size_t element_size);
uint64_t qemu_plugin_u64_get(qemu_plugin_u64 entry, unsigned int cpu);
void qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(struct qemu_plugin_tb *tb, int op, qemu_plugin_u64 entry,
						       uint64_t add);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, void (*executed)(unsigned int cpu, void *ctx),
					  int flags, void *ctx);

#define EXPORT __attribute__((visibility("default")))

EXPORT int qemu_plugin_version = 4;

struct block {
	struct block *next;
	uint64_t address;
	qemu_plugin_u64 counter;	/* incremented by translated code */
	uint64_t before;		/* its value when counting started */
};

#define NR_BUCKETS	65536

static struct block *buckets[NR_BUCKETS];
static uint64_t begin, end;
static const char *path;
static uint64_t largest_sum;

static struct block *block_get(uint64_t address)
{
	struct block **bucket = &buckets[(address * 0x9e3779b97f4a7c15ULL) >> 48], *block;

	for (block = *bucket; block; block = block->next) {
		if (block->address == address)
			return block;
	}
	block = calloc(1, sizeof(*block));
	if (!block)
		abort();
	block->address = address;
	block->counter.score = qemu_plugin_scoreboard_new(sizeof(uint64_t));
	block->next = *bucket;
	*bucket = block;
	return block;
}

static uint64_t counted(const struct block *block)
{
	return qemu_plugin_u64_get(block->counter, 0);
}

static void on_begin(unsigned int cpu, void *ctx)
{
	(void)cpu;
	(void)ctx;
	for (size_t i = 0; i < NR_BUCKETS; i++) {
		for (struct block *block = buckets[i]; block; block = block->next)
			block->before = counted(block);
	}
}

static void on_end(unsigned int cpu, void *ctx)
{
	uint64_t sum = 0;
	FILE *out;

	(void)cpu;
	(void)ctx;
	for (size_t i = 0; i < NR_BUCKETS; i++) {
		for (struct block *block = buckets[i]; block; block = block->next)
			sum += counted(block) - block->before;
	}
	if (sum <= largest_sum)
		return;
	largest_sum = sum;
	out = fopen(path, "w");
	for (size_t i = 0; out && i < NR_BUCKETS; i++) {
		for (struct block *block = buckets[i]; block; block = block->next) {
			if (counted(block) != block->before)
				fprintf(out, "%016" PRIx64 " %" PRIu64 "\n", block->address,
					counted(block) - block->before);
		}
	}
	if (!out || fclose(out))
		perror(path);
}

/* The same code may be translated several times; its blocks share a counter. */
static void on_translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	uint64_t address = qemu_plugin_tb_vaddr(tb);

	(void)id;
	qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(tb, QEMU_PLUGIN_INLINE_ADD_U64, block_get(address)->counter,
							  qemu_plugin_tb_n_insns(tb));
	if (address == begin || address == end)
		qemu_plugin_register_vcpu_tb_exec_cb(tb, address == begin ? on_begin : on_end,
						     QEMU_PLUGIN_CB_NO_REGS, NULL);
}

EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv)
{
	(void)info;
	for (int i = 0; i < argc; i++) {
		if (!strncmp(argv[i], "begin=", 6))
			begin = strtoull(argv[i] + 6, NULL, 0);
		else if (!strncmp(argv[i], "end=", 4))
			end = strtoull(argv[i] + 4, NULL, 0);
		else if (!strncmp(argv[i], "out=", 4))
			path = strdup(argv[i] + 4);
		else
			return -1;
	}
	if (!begin || !end || !path)
		return -1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translated);
	return 0;
}
