/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * The bytes of a filter object, with one half hidden from libbpf.
 *
 * libbpf reads and indexes all of the kernel's BTF if an object has a struct_ops map, even one that is not created, or
 * refers to a kernel function, even one that is never called. That alone takes longer than the rest of the startup.
 * Also, a loaded program that refers to a function of the module holds a reference to the module. So for the perf
 * engine, libbpf gets the object without these parts.
 */
#ifndef TPROF_FILTER_IMAGE_H
#define TPROF_FILTER_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "tprof/object.h"

/* Filters take some ten kilobytes; a larger file is not a filter. */
#define FILTER_IMAGE_BYTES_MAX (64 << 20)

struct filter_image {
	char *bytes;
	size_t size;
};

/*
 * Reads and checks the file. Errors: those of open(2) and read(2), ENOEXEC (not a regular file, too large), with a
 * sentence.
 */
int filter_image_read(struct filter_image *image, const char *path, struct tprof_error *error);
void filter_image_free(struct filter_image *image);

/*
 * Checks what libbpf assumes without checking: each section lies in the image, each symbol in its section, each type is
 * finite. Errors: ENOEXEC (damaged), ENOMEM.
 */
int filter_image_check(const struct filter_image *image);

/*
 * Marks all sections of struct_ops programs and maps as unused, and removes calls of the module's functions from dead
 * code of the other half. An image that is not a 64-bit ELF object stays as it is.
 */
void filter_image_hide_kmod(struct filter_image *image);

/*
 * Gives the struct_ops map of a TPROF_WAKEUP() the program of the TPROF_OFFCPU() of the same filter, so that one map
 * has both; the other map has it no more. The preprocessor cannot know whether a filter has both.
 */
void filter_image_join_waits(struct filter_image *image);

/*
 * Finds a TPROF_OFFCPU() or a TPROF_WAKEUP() whose TPROF_FILTER() is missing. Returns the name of the macro and that of
 * the filter, or NULL.
 */
const char *filter_image_find_alone(const struct filter_image *image, char filter[TPROF_NAME_MAX + 1]);

/* Sets the capacity in frames of the object's stack table. Errors: ENOENT (no such table, or unreadable BTF). */
int filter_image_set_stack_frames(struct filter_image *image, uint32_t nr);

#endif
