/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * The bytes of a filter object, and one of its halves hidden from libbpf.
 *
 * libbpf reads and indexes all of the kernel's BTF for an object with a struct_ops map, whether the map is to be
 * created or not, and for one that names a function of the kernel, whether it is called or not; that alone takes longer
 * than the rest of a start. A program that names a function of the module also holds the module while it is loaded. So
 * for the perf engine libbpf gets the object without them.
 */
#ifndef TPROF_FILTER_IMAGE_H
#define TPROF_FILTER_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Filters are of some ten kilobytes; what is larger than this is something else. */
#define FILTER_IMAGE_BYTES_MAX (64 << 20)

struct filter_image {
	char *bytes;
	size_t size;
};

/* Reads and checks the file. Errors: those of open(2) and read(2), ENOEXEC (not a file, too large), with a sentence. */
int filter_image_read(struct filter_image *image, const char *path, struct tprof_error *error);
void filter_image_free(struct filter_image *image);

/*
 * Is every section of the image within it, every symbol within its section, every type finite? libbpf takes it so.
 * Errors: ENOEXEC (it is damaged), ENOMEM.
 */
int filter_image_check(const struct filter_image *image);

/*
 * Marks all sections of struct_ops programs and maps as unused, and takes out the calls of the module's functions that
 * the other half has in code that it never runs. What is no 64-bit ELF object stays as it is.
 */
void filter_image_hide_kmod(struct filter_image *image);

/*
 * Sets how many frames a value of its table of stacks has room for. Errors: ENOENT (it has no such table, or BTF that
 * cannot be understood).
 */
int filter_image_set_stack_frames(struct filter_image *image, uint32_t nr);

#endif
