/* SPDX-License-Identifier: GPL-2.0-only */
/* A collector for tests, without a session. */
#ifndef TESTS_COLLECTOR_FIXTURE_H
#define TESTS_COLLECTOR_FIXTURE_H

#include "session/collect.h"

static inline void test_collector_init(struct collector *collector, struct dsos **dsos)
{
	*dsos = dsos_new(NULL);
	collector->aspaces = aspaces_new(*dsos, NULL);
	collector->symbolizer = symbolizer_new(collector->aspaces, NULL);
	collector->stacks = stacks_new();
}

static inline void test_collector_fini(struct collector *collector, struct dsos *dsos)
{
	symbolizer_free(collector->symbolizer);
	aspaces_free(collector->aspaces);
	collector_fini(collector);
	dsos_free(dsos);
}

#endif
