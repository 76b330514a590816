/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Cache of call site checks at return addresses. */
#ifndef TPROF_DSO_SITES_H
#define TPROF_DSO_SITES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "call_site.h"
#include "dso_file.h"

/* For all files together: 4 MiB. A full cache is emptied. */
#define DSO_SITES_MAX 65536

struct dso_site {
	struct hash_node node;		/* key: serial number and offset */
	uint64_t serial, offset;
	enum call_site site;
	bool in_signal_return;
};

/* A zeroed struct is empty. */
struct dso_sites {
	struct hash by_place;
};

void dso_sites_fini(struct dso_sites *sites);

/* The cached entry for the dso with this serial number, which is unique; or NULL. */
const struct dso_site *dso_sites_find(const struct dso_sites *sites, uint64_t serial, uint64_t offset);
/* Reads the instructions and adds an entry. Returns NULL if they cannot be read. */
const struct dso_site *dso_sites_read(struct dso_sites *sites, uint64_t serial, uint64_t offset,
				      const struct dso_file *file, enum call_site_machine machine);

#endif
