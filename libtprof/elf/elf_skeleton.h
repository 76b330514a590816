/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Connects a split unit to its program if libdw could not find it as a file. A generated skeleton unit refers libdw to
 * it; the skeleton has what the split unit needs from the program (addresses, ranges) and nothing else.
 */
#ifndef TPROF_ELF_SKELETON_H
#define TPROF_ELF_SKELETON_H

#include "elf_dwarf.h"

struct elf_skeleton {
	struct elf_image image;
	Elf *elf;
	Dwarf *dwarf;
};

/*
 * @split is an image of a .dwo file that contains the unit of the skeleton @unit in @from. @from must outlive the
 * skeleton; the image need not. On success @code is the split unit. Returns 0, or -errno; then there is nothing to
 * close.
 */
int elf_skeleton_open(struct elf_skeleton *skeleton, const struct elf_dwarf *from, Dwarf_Die *unit,
		      const struct elf_image *split, Dwarf_Die *code);
void elf_skeleton_close(struct elf_skeleton *skeleton);

#endif
