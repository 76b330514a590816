// SPDX-License-Identifier: GPL-2.0-only
/* The page: cli/flame/page.html with the style, the data of the profile and the scripts filled in. */
#include <string.h>

#include "flame.h"

/* Embeds a file into the program, by the assembler. */
#define EMBED(name, path)								\
	__asm__(".pushsection .rodata\n"						\
		".global " #name "\n.global " #name "_end\n"				\
		#name ": .incbin \"" path "\"\n" #name "_end: .byte 0\n"		\
		".popsection\n");							\
	extern const char name[], name##_end[]

EMBED(flame_html, "cli/flame/page.html");
EMBED(flame_css, "cli/flame/page.css");
EMBED(flame_nodes_js, "cli/flame/nodes.js");
EMBED(flame_colours_js, "cli/flame/colours.js");
EMBED(flame_js, "cli/flame/page.js");

/* Writes the template up to a placeholder; returns the position after it. */
static const char *put_until(const char *at, const char *mark, FILE *out)
{
	const char *found = memmem(at, (size_t)(flame_html_end - at), mark, strlen(mark));

	fwrite(at, 1, (size_t)(found - at), out);
	return found + strlen(mark);
}

static void put(const char *begin, const char *end, FILE *out)
{
	fwrite(begin, 1, (size_t)(end - begin), out);
}

int flame_page(const struct flame *flame, FILE *out)
{
	const char *at = put_until(flame_html, "@STYLE@", out);
	int err;

	put(flame_css, flame_css_end, out);
	at = put_until(at, "@PROFILE@", out);
	err = flame_data(flame, out);
	at = put_until(at, "@SCRIPT@", out);
	put(flame_nodes_js, flame_nodes_js_end, out);
	put(flame_colours_js, flame_colours_js_end, out);
	put(flame_js, flame_js_end, out);
	put(at, flame_html_end, out);
	return err;
}
