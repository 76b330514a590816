// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* The version of the library, out of the file VERSION by way of mk/. */
#include "tprof.h"

const char *tprof_version(void)
{
	return TPROF_VERSION;
}
