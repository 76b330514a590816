// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* The result of one check of this machine. */
#include "finding.h"

#include <stdarg.h>
#include <stdio.h>

void finding_ok(struct finding *finding, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(finding->text, sizeof(finding->text), format, args);
	va_end(args);
	finding->ok = true;
	finding->err = 0;
}

void finding_missing(struct finding *finding, int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(finding->text, sizeof(finding->text), format, args);
	va_end(args);
	finding->ok = false;
	finding->err = err;
}

void finding_mend(struct finding *finding, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(finding->mend, sizeof(finding->mend), format, args);
	va_end(args);
}

void finding_hint(struct finding *finding, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(finding->hint, sizeof(finding->hint), format, args);
	va_end(args);
}

void finding_advise(const struct finding *finding, struct tprof_error *error)
{
	if (finding->hint[0])
		error_hint(error, "%s", finding->hint);
	else
		error_hint(error, "%s", finding->mend[0] ? finding->mend : "tprof doctor");
}
