/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* The result of one check of this machine: whether something is available, and how to fix it if not. */
#ifndef TPROF_FINDING_H
#define TPROF_FINDING_H

#include <stdbool.h>

#include "base/error.h"

struct finding {
	bool ok;
	int err;		/* if not ok and required: the positive errno that probe_explain() returns */
	char text[256];
	char mend[256];		/* the command that fixes it, if there is one */
	char hint[256];		/* advice for cases in which a command alone is not enough */
};

void finding_ok(struct finding *finding, const char *format, ...) __attribute__((format(printf, 2, 3)));
void finding_missing(struct finding *finding, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void finding_mend(struct finding *finding, const char *format, ...) __attribute__((format(printf, 2, 3)));
void finding_hint(struct finding *finding, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Sets the hint of @error to the advice in the finding. */
void finding_advise(const struct finding *finding, struct tprof_error *error);

#endif
