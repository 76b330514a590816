/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * What a unit was split off to, where that is no file that libdw could find: it is told of one by a unit that is made
 * for it, which has what the split one needs of the program (addresses, ranges) and nothing else.
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
 * @split is an image of a .dwo file that has the unit of the skeleton @unit in @from, which has to outlive this; the
 * image does not. @code is then what it has. Returns 0, or -errno; then there is nothing to close.
 */
int elf_skeleton_open(struct elf_skeleton *skeleton, const struct elf_dwarf *from, Dwarf_Die *unit,
		      const struct elf_image *split, Dwarf_Die *code);
void elf_skeleton_close(struct elf_skeleton *skeleton);

#endif
