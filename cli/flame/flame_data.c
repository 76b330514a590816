// SPDX-License-Identifier: GPL-2.0-only
/*
 * The data of the page. Names (with the source location, if known), objects and kinds are stored once each. Boxes are
 * rows of numbers in drawing order (name, samples, weight, number of boxes below), which web browsers parse several
 * times faster than objects.
 */
#include <inttypes.h>

#include "base/ledger.h"
#include "flame_objects.h"

struct data {
	const struct flame *flame;
	FILE *out;
	struct flame_objects objects;
	bool separated;			/* the next row needs a comma before it */
};

/* Writes a JSON string in which no character can close the HTML element around it. */
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

static void put_lists(struct data *data)
{
	char place[4096];
	const struct names *names = &data->flame->names;
	uint32_t none = flame_objects_no_rank(&data->objects);
	FILE *out = data->out;

	fprintf(out, "\"colours\":\"%s\",\n\"hues\":[", data->flame->by_object ? "object" : "kind");
	for (int i = 0; i < FLAME_NR_HUES; i++)
		fprintf(out, "%s%d", i ? "," : "", flame_objects_hue(i));
	fputs("],\n\"kinds\":[", out);
	for (int i = 0; i < FLAME_NR_KINDS; i++)
		fprintf(out, "%s\"%s\"", i ? "," : "", flame_kind_name((enum flame_kind)i));
	fputs("],\n\"legend\":[", out);
	for (int i = 0, nr = 0; i < FLAME_NR_KINDS; i++)
		if (flame_shows_kind(data->flame, (enum flame_kind)i))
			fprintf(out, "%s%d", nr++ ? "," : "", i);
	fputs("],\n\"objects\":[", out);
	for (size_t i = 0; i < data->objects.names.nr; i++) {
		fputs(i ? "," : "", out);
		put_text(out, flame_objects_name(&data->objects, i));
	}
	fputs("],\n\"names\":[", out);
	for (size_t i = 0; i < names->nr; i++) {
		const struct name *name = &names->names[i];

		fputc('[', out);
		put_text(out, name->text);
		fprintf(out, ",%u,%d", flame_objects_rank(&data->objects, name), flame_kind(name));
		if (name->file) {
			snprintf(place, sizeof(place), "%s:%u", name->file, name->line);
			tprof_text__mend(place);
			fputc(',', out);
			put_text(out, place);
		}
		fputs("],\n", out);
	}
	/* After the names of the profile: the root, and boxes that sum up smaller ones. */
	fprintf(out, "[\"all\",%u,%d],[\"" FLAME_REST_NAME "\",%u,%d]],\n", none, FLAME_PROCESS, none, FLAME_REST);
}

static void put_box(struct data *data, size_t name, const struct tprof_tally *sum, size_t below)
{
	fprintf(data->out, "%s%zu,%llu,%llu,%zu", data->separated ? "," : "", name,
		data->flame->change ? 0 : sum->samples, sum->weight, below);
	data->separated = true;
}

/* Writes the boxes of a tree: its run, its children, and one box for the omitted branches. */
static void put_boxes(struct data *data, const struct tree *tree)
{
	size_t nr_names = data->flame->names.nr, below = tree->nr + (tree->omitted.weight != 0);

	if (!tree->nr_run)
		put_box(data, nr_names, &tree->sum, below);
	for (size_t i = 0; i < tree->nr_run; i++)
		put_box(data, tree->run[i], &tree->sum, i + 1 < tree->nr_run ? 1 : below);
	for (size_t i = 0; i < tree->nr; i++)
		put_boxes(data, &tree->children[i]);
	if (tree->omitted.weight)
		put_box(data, nr_names + 1, &tree->omitted, 0);
}

/* Writes the weights of the same boxes in the other profile, in the same order. */
static void put_before(struct data *data, const struct tree *tree)
{
	for (size_t i = 0; i < tree->nr_run + !tree->nr_run; i++) {
		fprintf(data->out, "%s%llu", data->separated ? "," : "", tree->sum.samples);
		data->separated = true;
	}
	for (size_t i = 0; i < tree->nr; i++)
		put_before(data, &tree->children[i]);
	if (tree->omitted.weight)
		fprintf(data->out, ",%llu", tree->omitted.samples);
}

static void put_count(FILE *out, const char *name, uint64_t count)
{
	fprintf(out, ",\n[\"%s\",%" PRIu64 "]", name, count);
}

static void put_ledger(const struct tprof_ledger *ledger, FILE *out)
{
	fprintf(out, "\"lost\":%" PRIu64 ",\n\"ledger\":[[\"fired\",%llu]", ledger_loss(ledger).missing,
		ledger->fired.samples);
	for (int i = 0; i < TPROF_NR_OUTCOMES; i++)
		put_count(out, tprof_outcome__name(i), ledger->outcomes[i].samples);
	for (int i = 0; i < TPROF_NR_LOST_REASONS; i++)
		put_count(out, tprof_lost_reason__name(i), ledger->lost[i].samples);
	for (int i = 0; i < TPROF_NR_COUNTINGS; i++)
		put_count(out, tprof_counting__name(i), ledger->countings[i].samples);
	put_count(out, "unnamed_sideband_lost", ledger->unnamed_sideband_lost.samples);
	fputs("],\n", out);
}

/* Writes the members of the object for one event. */
static void put_all(struct data *data)
{
	const struct flame *flame = data->flame;
	const struct tprof_loss loss = ledger_loss(tprof_profile__ledger(flame->profile));
	char text[512];

	put_member(data->out, "title", flame->title);
	put_member(data->out, "event", tprof_profile__info(flame->profile)->event);
	flame_about(flame, text, sizeof(text));
	put_member(data->out, "about", text);
	flame_loss(flame, text, sizeof(text));
	put_member(data->out, "loss", text);
	put_member(data->out, "warning", loss.text);
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
}

static int put_event(const struct flame *flame, FILE *out)
{
	struct data data = { .flame = flame, .out = out };
	int err = flame_objects_make(&data.objects, flame);

	if (!err)
		put_all(&data);
	flame_objects_fini(&data.objects);
	return err;
}

int flame_data(const struct flame *flame, FILE *out)
{
	int err;

	fputs("{", out);
	err = put_event(flame, out);
	for (size_t i = 0; i < flame->nr_others && !err; i++) {
		fputs(i ? "},\n{" : ",\n\"others\":[{", out);
		err = put_event(&flame->others[i], out);
	}
	fputs(flame->nr_others ? "}]}\n" : "}\n", out);
	return err;
}
