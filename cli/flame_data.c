// SPDX-License-Identifier: GPL-2.0-only
/*
 * The data of the page: names, objects and kinds once each, boxes as rows of numbers in the order of drawing (name,
 * samples, weight, number of boxes below it), which a browser reads several times quicker than objects.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "flame.h"

#define REST_NAME "[smaller ones]"

struct object {
	uint32_t number;
	uint64_t weight;
};

struct data {
	const struct flame *flame;
	FILE *out;
	struct names objects;
	struct object *ranks;		/* by number of the object, then by weight */
	uint32_t *rank_of;		/* place of an object in the list that is written */
	bool separated;			/* a row of numbers has been written */
};

/* In an element for data: nothing in a name may look like its end. */
static void put_text(FILE *out, const char *text)
{
	fputc('"', out);
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\')
			fprintf(out, "\\%c", c);
		else if (c < ' ' || c == '<' || c == '>' || c == '&')
			fprintf(out, "\\u%04x", c);
		else
			fputc(c, out);
	}
	fputc('"', out);
}

static void put_member(FILE *out, const char *name, const char *text)
{
	fprintf(out, "\"%s\":", name);
	put_text(out, text);
	fputs(",\n", out);
}

static long object_number(struct data *data, const char *object)
{
	const struct name name = { .text = object, .object = "", .pid = -1 };

	return names_number(&data->objects, &name);
}

static int by_weight(const void *a, const void *b)
{
	const struct object *x = a, *y = b;
	int order = (x->weight < y->weight) - (x->weight > y->weight);

	return order ? order : (x->number > y->number) - (x->number < y->number);
}

/* What names have for an object in the picture; processes have none. */
static const char *object_of(const struct name *name)
{
	return flame_kind(name) == FLAME_PROCESS ? "" : name->object;
}

static int number_objects(struct data *data)
{
	const struct names *names = &data->flame->names;

	for (size_t i = 0; i < names->nr; i++) {
		if (object_number(data, object_of(&names->names[i])) < 0)
			return -ENOMEM;
	}
	return object_number(data, "") < 0 ? -ENOMEM : 0;
}

/* The heaviest objects come first, for they get the colours that are easiest to tell apart. */
static int rank_objects(struct data *data)
{
	const struct flame *flame = data->flame;

	if (number_objects(data))
		return -ENOMEM;
	data->ranks = calloc(data->objects.nr, sizeof(*data->ranks));
	data->rank_of = calloc(data->objects.nr, sizeof(*data->rank_of));
	if (!data->ranks || !data->rank_of)
		return -ENOMEM;
	for (size_t i = 0; i < data->objects.nr; i++)
		data->ranks[i].number = (uint32_t)i;
	for (size_t i = 0; i < flame->calls.nr; i++) {
		const struct calls_stack *stack = &flame->calls.stacks[i];
		long object = object_number(data, object_of(&flame->names.names[stack->names[0]]));

		data->ranks[object].weight += stack->weight;
	}
	/* What has no object takes no colour away. */
	data->ranks[object_number(data, "")].weight = 0;
	qsort(data->ranks, data->objects.nr, sizeof(*data->ranks), by_weight);
	for (size_t i = 0; i < data->objects.nr; i++)
		data->rank_of[data->ranks[i].number] = (uint32_t)i;
	return 0;
}

static void put_lists(struct data *data)
{
	const struct names *names = &data->flame->names;
	FILE *out = data->out;

	fputs("\"kinds\":[", out);
	for (int i = 0; i < FLAME_NR_KINDS; i++)
		fprintf(out, "%s\"%s\"", i ? "," : "", flame_kind_name((enum flame_kind)i));
	fputs("],\n\"objects\":[", out);
	for (size_t i = 0; i < data->objects.nr; i++) {
		fputs(i ? "," : "", out);
		put_text(out, data->objects.names[data->ranks[i].number].text);
	}
	fputs("],\n\"names\":[", out);
	for (size_t i = 0; i < names->nr; i++) {
		const struct name *name = &names->names[i];

		fputc('[', out);
		put_text(out, name->text);
		fprintf(out, ",%u,%d],\n", data->rank_of[object_number(data, object_of(name))], flame_kind(name));
	}
	/* Behind the names of the profile: all of it, and what is put together. */
	fprintf(out, "[\"all\",%u,%d],[\"" REST_NAME "\",%u,%d]],\n", data->rank_of[object_number(data, "")],
		FLAME_PROCESS, data->rank_of[object_number(data, "")], FLAME_REST);
}

static void put_box(struct data *data, size_t name, const struct tprof_tally *sum, size_t below)
{
	fprintf(data->out, "%s%zu,%llu,%llu,%zu", data->separated ? "," : "", name,
		data->flame->change ? 0 : sum->samples, sum->weight, below);
	data->separated = true;
}

static bool is_shown(const struct flame *flame, const struct tree *tree)
{
	return tree->sum.weight >= flame->limit;
}

/* The boxes of a tree: its run, the children that are shown, and one for all others. */
static void put_boxes(struct data *data, const struct tree *tree)
{
	const struct flame *flame = data->flame;
	struct tprof_tally rest = tree->omitted;
	size_t shown = 0;

	for (size_t i = 0; i < tree->nr; i++) {
		if (is_shown(flame, &tree->children[i])) {
			shown++;
			continue;
		}
		rest.samples += tree->children[i].sum.samples;
		rest.weight += tree->children[i].sum.weight;
	}
	shown += rest.weight != 0;
	if (!tree->nr_run)
		put_box(data, flame->names.nr, &tree->sum, shown);
	for (size_t i = 0; i < tree->nr_run; i++)
		put_box(data, tree->run[i], &tree->sum, i + 1 < tree->nr_run ? 1 : shown);
	for (size_t i = 0; i < tree->nr; i++) {
		if (is_shown(flame, &tree->children[i]))
			put_boxes(data, &tree->children[i]);
	}
	if (rest.weight)
		put_box(data, flame->names.nr + 1, &rest, 0);
}

/* What the same boxes weighed in the other profile, in the same order. */
static void put_before(struct data *data, const struct tree *tree)
{
	const struct flame *flame = data->flame;
	struct tprof_tally rest = tree->omitted;

	for (size_t i = 0; i < tree->nr_run + !tree->nr_run; i++) {
		fprintf(data->out, "%s%llu", data->separated ? "," : "", tree->sum.samples);
		data->separated = true;
	}
	for (size_t i = 0; i < tree->nr; i++) {
		if (is_shown(flame, &tree->children[i])) {
			put_before(data, &tree->children[i]);
			continue;
		}
		rest.samples += tree->children[i].sum.samples;
		rest.weight += tree->children[i].sum.weight;
	}
	if (rest.weight)
		fprintf(data->out, ",%llu", rest.samples);
}

static void put_count(FILE *out, const char *name, uint64_t count)
{
	fprintf(out, ",\n[\"%s\",%" PRIu64 "]", name, count);
}

static void put_ledger(const struct tprof_ledger *ledger, FILE *out)
{
	fprintf(out, "\"lost\":%llu,\n\"ledger\":[[\"fired\",%llu]", tprof_ledger__lost(ledger).samples,
		ledger->fired.samples);
	for (int i = 0; i < TPROF_NR_OUTCOMES; i++)
		put_count(out, tprof_outcome__name(i), ledger->outcomes[i].samples);
	for (int i = 0; i < TPROF_NR_LOST_REASONS; i++)
		put_count(out, tprof_lost_reason__name(i), ledger->lost[i].samples);
	for (int i = 0; i < TPROF_NR_COUNTINGS; i++)
		put_count(out, tprof_counting__name(i), ledger->countings[i].samples);
	fputs("],\n", out);
}

static void put_all(struct data *data)
{
	const struct flame *flame = data->flame;
	char text[512];

	fputs("{", data->out);
	put_member(data->out, "title", flame->title);
	flame_about(flame, text, sizeof(text));
	put_member(data->out, "about", text);
	flame_loss(flame, text, sizeof(text));
	put_member(data->out, "loss", text);
	put_member(data->out, "unit", tprof_profile__info(flame->profile)->unit);
	put_ledger(tprof_profile__ledger(flame->profile), data->out);
	put_lists(data);
	fputs("\"nodes\":[", data->out);
	put_boxes(data, &flame->tree);
	fputs("]", data->out);
	data->separated = false;
	if (flame->change) {
		fprintf(data->out, ",\n\"change\":{\"total\":%llu,\"before\":[", flame->tree.sum.samples);
		put_before(data, &flame->tree);
		fputs("]}", data->out);
	}
	fputs("}\n", data->out);
}

int flame_data(const struct flame *flame, FILE *out)
{
	struct data data = { .flame = flame, .out = out };
	int err = rank_objects(&data);

	if (!err)
		put_all(&data);
	names_fini(&data.objects);
	free(data.ranks);
	free(data.rank_of);
	return err;
}
