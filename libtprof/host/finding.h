/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* What was found out about one thing of this machine: whether it is there, and what mends it. */
#ifndef TPROF_FINDING_H
#define TPROF_FINDING_H

#include <stdbool.h>

#include "base/error.h"

struct finding {
	bool ok;
	int err;		/* not ok and required: what probe_explain() returns, positive */
	char text[256];
	char mend[256];		/* the command that mends it, if one does */
	char hint[256];		/* what to do where a command alone does not say it */
};

void finding_ok(struct finding *finding, const char *format, ...) __attribute__((format(printf, 2, 3)));
void finding_missing(struct finding *finding, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void finding_mend(struct finding *finding, const char *format, ...) __attribute__((format(printf, 2, 3)));
void finding_hint(struct finding *finding, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Says as the hint of an error what can be done about a finding. */
void finding_advise(const struct finding *finding, struct tprof_error *error);

#endif
