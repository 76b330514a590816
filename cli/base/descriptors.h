/* SPDX-License-Identifier: GPL-2.0-only */
/* The descriptors of this program, and how many it may have. */
#ifndef TPROF_CLI_DESCRIPTORS_H
#define TPROF_CLI_DESCRIPTORS_H

/*
 * Before anything is opened. A standard descriptor that is closed would become one of ours, and output would go into
 * it: from here on reading such a one finds nothing and writing fails. And each CPU takes some, so that of the usual
 * 1,024 a large machine leaves none: as many as the hard limit allows may be open.
 */
void descriptors_prepare(void);

/* In a child, before exec: the limit that it would have had without us. Older programs fail with a high one. */
void descriptors_give_back(void);

#endif
