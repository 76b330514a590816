// SPDX-License-Identifier: GPL-2.0-only
/* A picture for documents: no script, names on hover, light or dark like the page around it. */
#include <inttypes.h>
#include <string.h>

#include "base/ledger.h"
#include "base/units.h"
#include "flame_objects.h"

#define WIDTH ((double)FLAME_SVG_PARTS)
#define ROW 18
#define TOP 62
#define TEXT_FROM 30.0
/* Average width of a character in a wide font at 11 pixels, in pixels. */
#define CHARACTER 6.6

struct drawing {
	const struct flame *flame;
	struct flame_objects objects;
	FILE *out;
	double scale;		/* pixels for each unit of weight */
};

/* The color of a box: its class in the style sheet. */
struct colour {
	char class[16];
};

static void put_escaped(FILE *out, const char *text, size_t length)
{
	for (size_t i = 0; i < length && text[i]; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c == '<' || c == '>' || c == '&' || c == '"')
			fprintf(out, "&#%d;", c);
		else
			fputc(c < ' ' ? '?' : c, out);
	}
}

/* The number of bytes of at most @characters leading characters. */
static size_t prefix(const char *text, size_t characters)
{
	size_t i = 0;

	while (text[i] && (characters || (text[i] & 0xc0) == 0x80)) {
		characters -= (text[i] & 0xc0) != 0x80;
		i++;
	}
	return i;
}

static void put_label(const struct drawing *drawing, const char *text, double x, double width, int row)
{
	size_t characters = (size_t)((width - 6) / CHARACTER), length = prefix(text, characters);
	bool cut = text[length] != '\0';

	if (width < TEXT_FROM)
		return;
	fprintf(drawing->out, "<text x=\"%.1f\" y=\"%d\">", x + 3, TOP + row * ROW + 13);
	/* The ellipsis is as wide as two characters. */
	put_escaped(drawing->out, text, cut ? prefix(text, characters - 2) : length);
	fputs(cut ? "\xe2\x80\xa6</text>" : "</text>", drawing->out);
}

static struct colour colour_of_kind(enum flame_kind kind)
{
	struct colour colour;

	snprintf(colour.class, sizeof(colour.class), "%s", flame_kind_name(kind));
	return colour;
}

/* Objects beyond the available hues have the color of processes. */
static struct colour colour_of_object(size_t rank)
{
	struct colour colour = colour_of_kind(FLAME_PROCESS);

	if (rank < FLAME_NR_HUES)
		snprintf(colour.class, sizeof(colour.class), "o%zu", rank);
	return colour;
}

static struct colour colour_of(struct drawing *drawing, const struct name *name)
{
	enum flame_kind kind = flame_kind(name);

	if (!drawing->flame->by_object || kind == FLAME_PROCESS || !name->object[0])
		return colour_of_kind(kind);
	return colour_of_object(flame_objects_rank(&drawing->objects, name));
}

static void put_box(const struct drawing *drawing, const char *text, const char *object, struct colour colour,
		    const struct tprof_tally *sum, double x, int row)
{
	const struct tprof_info *info = tprof_profile__info(drawing->flame->profile);
	double width = (double)sum->weight * drawing->scale;
	struct units_text weight;

	fprintf(drawing->out, "<g><title>");
	put_escaped(drawing->out, text, strlen(text));
	if (object[0]) {
		fputs(", ", drawing->out);
		put_escaped(drawing->out, object, strlen(object));
	}
	fprintf(drawing->out, "\n%s, %.2f %%</title><rect class=\"%s\" x=\"%.1f\" y=\"%d\" width=\"%.1f\"/>",
		units_weight(&weight, sum->weight, info->unit), 100 * width / WIDTH, colour.class, x,
		TOP + row * ROW, width > 2 ? width - 0.6 : width);
	put_label(drawing, text, x, width, row);
	fputs("</g>\n", drawing->out);
}

/* Whether the omitted branches together are wide enough for a box. */
static bool has_rest(const struct drawing *drawing, const struct tree *tree)
{
	return tree->omitted.weight >= drawing->flame->smallest;
}

static void put_tree(struct drawing *drawing, const struct tree *tree, double x, int row)
{
	const struct names *names = &drawing->flame->names;

	if (!tree->nr_run)
		put_box(drawing, "all", "", colour_of_kind(FLAME_PROCESS), &tree->sum, x, row++);
	for (size_t i = 0; i < tree->nr_run; i++) {
		const struct name *name = &names->names[tree->run[i]];
		const char *object = flame_kind(name) == FLAME_PROCESS ? "" : name->object;

		put_box(drawing, name->text, object, colour_of(drawing, name), &tree->sum, x, row++);
	}
	for (size_t i = 0; i < tree->nr; i++) {
		put_tree(drawing, &tree->children[i], x, row);
		x += (double)tree->children[i].sum.weight * drawing->scale;
	}
	if (has_rest(drawing, tree))
		put_box(drawing, FLAME_REST_NAME, "", colour_of_kind(FLAME_REST), &tree->omitted, x, row);
}

static int rows(const struct drawing *drawing, const struct tree *tree)
{
	int deepest = 0;

	for (size_t i = 0; i < tree->nr; i++) {
		int below = rows(drawing, &tree->children[i]);

		deepest = below > deepest ? below : deepest;
	}
	if (!deepest && has_rest(drawing, tree))
		deepest = 1;
	return deepest + (int)tree->nr_run + !tree->nr_run;
}

static const char style[] =
	"<style>"
	"svg{--page:#fbfbfa;--ink:#1d2126;--soft:#656d78;--user:#8fbbe4;--kernel:#f0a58b;--process:#cdd1d7;"
	"--mark:#e2cf97;--rest:#e3e5e8;--light:72%;"
	"--ready:#95d0a3;--disk:#ccafde;--lock:#ed97ab;--network:#80cbc9;--sleep:#c6c6e7;--waiting:#c4cea1;}"
	"@media(prefers-color-scheme:dark){svg{--page:#14161a;--ink:#e7e9ec;--soft:#98a1ad;--user:#355d82;"
	"--kernel:#9f4b32;--process:#43474f;--mark:#796735;--rest:#353940;--light:36%;"
	"--ready:#3e6f4a;--disk:#714f87;--lock:#9a4256;--network:#346a68;--sleep:#49496e;--waiting:#5f6840;}}"
	".page{fill:var(--page)}text{font:11px system-ui,sans-serif;fill:var(--ink);pointer-events:none}"
	"text.title{font-size:15px;font-weight:600}text.about{fill:var(--soft)}rect{height:17px;rx:1.5px}"
	".user{fill:var(--user)}.kernel{fill:var(--kernel)}.process{fill:var(--process)}.mark{fill:var(--mark)}"
	".ready{fill:var(--ready)}.disk{fill:var(--disk)}.lock{fill:var(--lock)}"
	".network{fill:var(--network)}.sleep{fill:var(--sleep)}.waiting{fill:var(--waiting)}"
	".rest{fill:var(--rest)}g:hover rect{opacity:.75}rect.key{height:11px}text.loss{font-weight:600}";

static void put_style(const struct drawing *drawing)
{
	fputs(style, drawing->out);
	for (size_t i = 0; i < FLAME_NR_HUES && drawing->flame->by_object; i++)
		fprintf(drawing->out, ".o%zu{fill:hsl(%d 52%% var(--light))}", i, flame_objects_hue(i));
	fputs("</style>\n", drawing->out);
}

/* Draws a legend entry; returns the x position of the next one. */
static double put_key(const struct drawing *drawing, struct colour colour, const char *text, double x)
{
	size_t length = prefix(text, 40);

	if (x > WIDTH - 240)
		return x;
	fprintf(drawing->out, "<rect class=\"key %s\" x=\"%.1f\" y=\"43\" width=\"11\"/><text class=\"about\" "
		"x=\"%.1f\" y=\"53\">", colour.class, x, x + 15);
	put_escaped(drawing->out, text, length);
	fputs("</text>\n", drawing->out);
	return x + 15 + (double)prefix(text, length) * CHARACTER + 14;
}

static void put_legend(const struct drawing *drawing)
{
	double x = 4;

	if (!drawing->flame->by_object) {
		for (int kind = 0; kind < FLAME_REST; kind++)
			if (flame_shows_kind(drawing->flame, kind))
				x = put_key(drawing, colour_of_kind(kind), flame_kind_name(kind), x);
		return;
	}
	for (size_t i = 0; i < drawing->objects.names.nr && i < FLAME_NR_HUES; i++) {
		const char *name = flame_objects_name(&drawing->objects, i);

		if (name[0])
			x = put_key(drawing, colour_of_object(i), name, x);
	}
}

static void put_head(const struct drawing *drawing, int height)
{
	const struct flame *flame = drawing->flame;
	char about[400], loss[64];
	FILE *out = drawing->out;

	flame_about(flame, about, sizeof(about));
	flame_loss(flame, loss, sizeof(loss));
	fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %d\" width=\"%.0f\" height=\"%d\" "
		"role=\"img\">\n", WIDTH, height, WIDTH, height);
	put_style(drawing);
	fputs("<rect class=\"page\" width=\"100%\" style=\"height:100%\"/>\n"
	      "<text class=\"title\" x=\"4\" y=\"18\">", out);
	put_escaped(out, flame->title, strlen(flame->title));
	fputs("</text>\n<text class=\"about\" x=\"4\" y=\"35\">", out);
	put_escaped(out, about, strlen(about));
	fprintf(out, ", %s</text>\n", loss);
	put_legend(drawing);
}

/* Below all boxes, because the text may be as wide as the picture. */
static void put_warning(const struct drawing *drawing, const char *text, int row)
{
	if (!text[0])
		return;
	fprintf(drawing->out, "<text class=\"loss\" x=\"4\" y=\"%d\">", TOP + row * ROW + 13);
	put_escaped(drawing->out, text, strlen(text));
	fputs("</text>\n", drawing->out);
}

int flame_svg(const struct flame *flame, FILE *out)
{
	struct drawing drawing = { .flame = flame, .out = out };
	const struct tprof_loss loss = ledger_loss(tprof_profile__ledger(flame->profile));
	int err = flame_objects_make(&drawing.objects, flame), nr_rows;

	if (!err && flame->tree.sum.weight)
		drawing.scale = WIDTH / (double)flame->tree.sum.weight;
	if (!err) {
		nr_rows = rows(&drawing, &flame->tree);
		put_head(&drawing, TOP + (nr_rows + !!loss.text[0]) * ROW + 4);
		put_tree(&drawing, &flame->tree, 0, 0);
		put_warning(&drawing, loss.text, nr_rows);
		fputs("</svg>\n", out);
	}
	flame_objects_fini(&drawing.objects);
	return err;
}
