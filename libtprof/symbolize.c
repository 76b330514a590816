// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * From an address to a name.
 *
 * Answers are remembered until the next age only: a process may map another file at the same address, and
 * nobody says so. Finding the hot addresses again, once a second, costs less than knowing which answers still
 * hold.
 */
#include "symbolize.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "intern.h"
#include "ksyms.h"
#include "perfmap.h"

#define VSYSCALL_PAGE 0xffffffffff600000
#define PAGE_MASK 0xfffffffffffff000

struct answer {
	struct hash_node node;		/* by all three */
	pid_t tgid;			/* 0: kernel */
	uint32_t exec_id;
	uint64_t ip;
	struct tprof_symbol symbol;
};

struct symbolizer {
	struct aspaces *aspaces;
	struct ksyms *ksyms;
	struct perfmaps *perfmaps;
	struct intern *strings;
	struct hash answers;
};

struct symbolizer *symbolizer_new(struct aspaces *aspaces, const struct log *log)
{
	struct symbolizer *symbolizer = calloc(1, sizeof(*symbolizer));

	if (!symbolizer)
		return NULL;
	symbolizer->aspaces = aspaces;
	symbolizer->ksyms = ksyms_new(log);
	symbolizer->perfmaps = perfmaps_new(log);
	symbolizer->strings = intern_new();
	if (!symbolizer->ksyms || !symbolizer->perfmaps || !symbolizer->strings) {
		symbolizer_free(symbolizer);
		return NULL;
	}
	return symbolizer;
}

static bool free_answer(void *ctx, struct hash_node *node)
{
	(void)ctx;
	free(node);
	return false;
}

static void forget_answers(struct symbolizer *symbolizer)
{
	hash_filter(&symbolizer->answers, free_answer, NULL);
	hash_fini(&symbolizer->answers);
}

void symbolizer_free(struct symbolizer *symbolizer)
{
	if (!symbolizer)
		return;
	forget_answers(symbolizer);
	ksyms_free(symbolizer->ksyms);
	perfmaps_free(symbolizer->perfmaps);
	intern_free(symbolizer->strings);
	free(symbolizer);
}

bool ip_is_kernel(uint64_t ip)
{
#ifdef __x86_64__
	if ((ip & PAGE_MASK) == VSYSCALL_PAGE)
		return false;
#endif
	return ip >> 63;
}

static int intern_symbol(struct symbolizer *symbolizer, const char *name, const char *object,
			 struct tprof_symbol *symbol)
{
	symbol->name = intern_name(symbolizer->strings, name);
	symbol->object = intern_name(symbolizer->strings, object);
	return symbol->name && symbol->object ? 0 : -ENOMEM;
}

static int resolve_kernel(struct symbolizer *symbolizer, uint64_t ip, struct tprof_symbol *symbol)
{
	const char *name, *object;

	if (ksyms_find(symbolizer->ksyms, ip, &name, &object, &symbol->offset))
		return intern_symbol(symbolizer, name, object, symbol);
	symbol->name = "[unknown kernel function]";
	symbol->object = "[kernel]";
	return 0;
}

/* "[object+0xoffset]"; one pair of brackets is enough. */
static int name_by_offset(struct symbolizer *symbolizer, const char *object, uint64_t offset,
			  struct tprof_symbol *symbol)
{
	char name[320];
	int length = (int)strlen(object);

	if (object[0] == '[' && object[length - 1] == ']')
		snprintf(name, sizeof(name), "%.*s+0x%" PRIx64 "]", length - 1, object, offset);
	else
		snprintf(name, sizeof(name), "[%s+0x%" PRIx64 "]", object, offset);
	return intern_symbol(symbolizer, name, object, symbol);
}

static int resolve_user(struct symbolizer *symbolizer, pid_t tgid, uint32_t exec_id, uint64_t ip,
			struct tprof_symbol *symbol)
{
	const struct mapping *mapping = aspaces_find(symbolizer->aspaces, tgid, exec_id, ip);
	const char *name;
	uint64_t offset;

	if (!mapping) {
		symbol->name = symbol->object = "[unknown]";
		return 0;
	}
	offset = ip - mapping->start + mapping->pgoff;
	dso_open_late(mapping->dso, tgid, mapping->start, mapping->end);
	if (dso_symbol(mapping->dso, offset, &name, &symbol->offset)) {
		symbol->name = name;
		symbol->object = dso_name(mapping->dso);
		return 0;
	}
	if (perfmaps_find(symbolizer->perfmaps, tgid, ip, &name, &symbol->offset))
		return intern_symbol(symbolizer, name, "[jit]", symbol);
	symbol->offset = 0;
	if (!dso_is_anonymous(mapping->dso))
		return name_by_offset(symbolizer, dso_name(mapping->dso), offset, symbol);
	/* Its addresses mean nothing to anybody, and there is no end of them. */
	return intern_symbol(symbolizer, dso_name(mapping->dso), dso_name(mapping->dso), symbol);
}

static uint64_t answer_key(pid_t tgid, uint32_t exec_id, uint64_t ip)
{
	return ip ^ (uint64_t)(uint32_t)tgid << 40 ^ (uint64_t)exec_id * 0x9e3779b97f4a7c15;
}

static struct answer *find_answer(const struct symbolizer *symbolizer, pid_t tgid, uint32_t exec_id,
				  uint64_t ip)
{
	struct hash_node *node = hash_find(&symbolizer->answers, answer_key(tgid, exec_id, ip));

	for (; node; node = hash_find_next(node)) {
		struct answer *answer = (struct answer *)node;

		if (answer->ip == ip && answer->tgid == tgid && answer->exec_id == exec_id)
			return answer;
	}
	return NULL;
}

int symbolizer_resolve(struct symbolizer *symbolizer, pid_t tgid, uint32_t exec_id, uint64_t ip,
		       struct tprof_symbol *symbol)
{
	struct answer *answer;
	int err;

	if (ip_is_kernel(ip)) {
		tgid = 0;
		exec_id = 0;
	}
	answer = find_answer(symbolizer, tgid, exec_id, ip);
	if (answer) {
		*symbol = answer->symbol;
		return 0;
	}
	*symbol = (struct tprof_symbol){ 0 };
	if (ip_is_kernel(ip))
		err = resolve_kernel(symbolizer, ip, symbol);
	else
		err = resolve_user(symbolizer, tgid, exec_id, ip, symbol);
	if (err)
		return err;

	answer = malloc(sizeof(*answer));
	if (!answer)
		return 0;	/* known now, and found again next time */
	*answer = (struct answer){ .tgid = tgid, .exec_id = exec_id, .ip = ip, .symbol = *symbol };
	if (hash_add(&symbolizer->answers, &answer->node, answer_key(tgid, exec_id, ip)))
		free(answer);
	return 0;
}

void symbolizer_age(struct symbolizer *symbolizer)
{
	forget_answers(symbolizer);
	ksyms_age(symbolizer->ksyms);
	perfmaps_age(symbolizer->perfmaps);
}
