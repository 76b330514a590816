// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * Engine kmod: the module takes the samples. This library does not speak to it yet; the engine is in the table so
 * that asking for it gets its own answer.
 */
#include <errno.h>
#include <unistd.h>

#include "engine.h"

static int kmod_usable(struct tprof_error *why)
{
	if (access("/dev/tprof", F_OK))
		error_set(why, EOPNOTSUPP, "engine kmod: the module tprof is not loaded");
	else
		error_set(why, EOPNOTSUPP, "engine kmod: this version of the library cannot use the module");
	error_hint(why, "--engine perf works without it");
	return -EOPNOTSUPP;
}

const struct engine_ops engine_kmod = {
	.name = "kmod",
	.object_engine = TPROF_OBJECT_KMOD,
	.usable = kmod_usable,
};
