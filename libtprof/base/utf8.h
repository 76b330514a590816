/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Names as other programs read them: formats that are UTF-8 by definition, and names that may be anything. */
#ifndef TPROF_UTF8_H
#define TPROF_UTF8_H

/*
 * As tprof_text__mend(), and control characters too, for what will be shown: names come from files and processes that
 * anybody may have made, and must not steer a terminal. Those from U+0080 to U+009F do, and so does each of these bytes
 * alone.
 */
void utf8_clean(char *text);

#endif
