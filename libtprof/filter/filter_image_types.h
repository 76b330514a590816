/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Validation of the BTF of a filter object, which is untrusted. */
#ifndef TPROF_FILTER_IMAGE_TYPES_H
#define TPROF_FILTER_IMAGE_TYPES_H

#include <bpf/btf.h>
#include <stdbool.h>

/* False if libbpf would loop on these types, or compute a wrong size. */
bool image_types_are_sound(const struct btf *btf);

#endif
