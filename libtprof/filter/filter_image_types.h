/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* The types of a filter object, which anyone may have made. */
#ifndef TPROF_FILTER_IMAGE_TYPES_H
#define TPROF_FILTER_IMAGE_TYPES_H

#include <bpf/btf.h>
#include <stdbool.h>

/* False if libbpf would not come to an end with them, or with a sum that is wrong. */
bool image_types_are_sound(const struct btf *btf);

#endif
