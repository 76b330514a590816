// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* The version of the library; the makefiles in mk/ take it from the file VERSION. */
#include "tprof.h"

const char *tprof_version(void)
{
	return TPROF_VERSION;
}
