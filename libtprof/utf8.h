/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Names as other programs read them: formats that are UTF-8 by definition, and names that may be anything. */
#ifndef TPROF_UTF8_H
#define TPROF_UTF8_H

/* Replaces what is no UTF-8 by question marks, one for each byte. */
void utf8_mend(char *text);

#endif
