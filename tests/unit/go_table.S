/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A program with three functions and a gap, and the function table of the Go runtime for them, in the format of release
 * FORM: 2, 16, 18 or 20. TEXT is the start of the code in the table, LEAD the number of bytes of the section before it,
 * WRONG is added to the address in a record.
 */
#ifndef TEXT
#define TEXT text
#endif
#ifndef LEAD
#define LEAD 16
#endif
#ifndef WRONG
#define WRONG 0
#endif

#if FORM == 2
#define MAGIC 0xfffffffb
#elif FORM == 16
#define MAGIC 0xfffffffa
#elif FORM == 18
#define MAGIC 0xfffffff0
#else
#define MAGIC 0xfffffff1
#endif

#if FORM >= 18
#define FIELD .long
#define ADDRESS(label) label - text
#else
#define FIELD .quad
#define ADDRESS(label) label
#endif

#if FORM == 2
#define RECORDS table
#define NAMES table
#else
#define RECORDS index
#define NAMES names
#endif

	.text
	.globl _start, one
	.fill LEAD, 1, 0x90
text:
_start:	.space 8, 0x90
one:	.space 16, 0x90
hole:	.space 8, 0x90
two:	.space 8, 0x90
end:	.space 8, 0x90

	.section .gopclntab, "aw"
	.balign 32
table:	.long MAGIC
	.byte 0, 0, 1, 8
	.quad 4
#if FORM >= 16
	.quad 0
#if FORM >= 18
	.quad TEXT
#endif
	.quad names - table, 0, 0, 0, index - table
#endif
index:	FIELD ADDRESS(_start), 0f - RECORDS
	FIELD ADDRESS(one), 1f - RECORDS
	FIELD ADDRESS(hole), 0x7fffffff
	FIELD ADDRESS(two), 2f - RECORDS
	FIELD ADDRESS(end)
	.balign 8
0:	FIELD ADDRESS(_start)
	.long 3f - NAMES
	.balign 8
1:	FIELD ADDRESS(one)
	.long 4f - NAMES
	.balign 8
2:	FIELD ADDRESS(two) + WRONG
	.long 5f - NAMES
names:
3:	.asciz "_rt0_amd64_linux"
4:	.asciz "main.one"
5:	.asciz "main.(*thing).two"
	.space 64
	.section .note.GNU-stack, "", @progbits
