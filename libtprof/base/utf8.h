/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Cleans names for output formats that require UTF-8, and for display. */
#ifndef TPROF_UTF8_H
#define TPROF_UTF8_H

/*
 * Like tprof_text__mend(), and also replaces control characters. For text that will be displayed: names come from
 * untrusted files and processes and must not control the terminal. Control characters include U+0080 to U+009F, also as
 * single bytes.
 */
void utf8_clean(char *text);

#endif
