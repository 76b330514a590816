/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * What the instructions around an address tell of a return to it. Not every address that a function returns to is
 * behind a call: the kernel has signal handlers return to code that no call leads to, and a coroutine may begin by a
 * return to the first byte of a function. The byte before such an address belongs to something else. Pure.
 */
#ifndef TPROF_CALL_SITE_H
#define TPROF_CALL_SITE_H

#include <stdbool.h>
#include <stdint.h>

enum call_site {
	CALL_SITE_UNKNOWN,		/* the instructions cannot be read */
	CALL_SITE_CALL,			/* a call ends there */
	CALL_SITE_NONE,			/* no call ends there */
	CALL_SITE_SIGNAL,		/* it is what a signal handler returns to: the system call that ends handling */
};

/* Whose instructions. */
enum call_site_machine {
	CALL_SITE_X86_64,
	CALL_SITE_I386,
	CALL_SITE_AARCH64,
};

/* That of this machine's own programs. */
#if defined(__x86_64__)
#define CALL_SITE_NATIVE CALL_SITE_X86_64
#elif defined(__aarch64__)
#define CALL_SITE_NATIVE CALL_SITE_AARCH64
#endif

/* So many bytes are looked at before the address, and so many from it on. */
#define CALL_SITE_BEFORE 12
#define CALL_SITE_BEHIND 12
#define CALL_SITE_BYTES (CALL_SITE_BEFORE + CALL_SITE_BEHIND)

/* @bytes: CALL_SITE_BYTES, from CALL_SITE_BEFORE before the address on; zeros where there are none. */
enum call_site call_site(const uint8_t *bytes, enum call_site_machine machine);

/* Of an address that was interrupted: is it one of the two instructions that a signal handler returns to? */
bool call_site_in_signal_return(const uint8_t *bytes, enum call_site_machine machine);

#endif
