// SPDX-License-Identifier: GPL-2.0-only
/* The page: cli/flame/page.html with its style, its script and the data of the profile in their places. */
#include <string.h>

#include "flame.h"

/* Files that the assembler puts into the program. */
#define EMBED(name, path)								\
	__asm__(".pushsection .rodata\n"						\
		".global " #name "\n.global " #name "_end\n"				\
		#name ": .incbin \"" path "\"\n" #name "_end: .byte 0\n"		\
		".popsection\n");							\
	extern const char name[], name##_end[]

EMBED(flame_html, "cli/flame/page.html");
EMBED(flame_css, "cli/flame/page.css");
EMBED(flame_js, "cli/flame/page.js");

/* Writes up to a mark; returns what is behind it. */
static const char *put_until(const char *at, const char *mark, FILE *out)
{
	const char *found = memmem(at, (size_t)(flame_html_end - at), mark, strlen(mark));

	fwrite(at, 1, (size_t)(found - at), out);
	return found + strlen(mark);
}

int flame_page(const struct flame *flame, FILE *out)
{
	const char *at = put_until(flame_html, "@STYLE@", out);
	int err;

	fwrite(flame_css, 1, (size_t)(flame_css_end - flame_css), out);
	at = put_until(at, "@PROFILE@", out);
	err = flame_data(flame, out);
	at = put_until(at, "@SCRIPT@", out);
	fwrite(flame_js, 1, (size_t)(flame_js_end - flame_js), out);
	fwrite(at, 1, (size_t)(flame_html_end - at), out);
	return err;
}
