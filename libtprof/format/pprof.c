// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Conventions of writer and reader of pprof files. */
#include "pprof.h"

#include <string.h>

const char *pprof_object(const char *file)
{
	const char *slash = file[0] == '/' ? strrchr(file, '/') : NULL;

	return slash ? slash + 1 : file;
}
