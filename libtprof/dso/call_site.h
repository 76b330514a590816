/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Decides from the instructions around an address whether it is a return address behind a call. Not all addresses that
 * functions return to are: the kernel makes signal handlers return to code that was never called from there, and a
 * coroutine may start with a return to the first byte of a function. The byte before such an address belongs to other
 * code. Pure.
 */
#ifndef TPROF_CALL_SITE_H
#define TPROF_CALL_SITE_H

#include <stdbool.h>
#include <stdint.h>

enum call_site {
	CALL_SITE_UNKNOWN,		/* the instructions cannot be read */
	CALL_SITE_CALL,			/* a call ends at the address */
	CALL_SITE_NONE,			/* no call ends at the address */
	CALL_SITE_SIGNAL,		/* return address of a signal handler: the code calls rt_sigreturn(2) */
};

/* The instruction set. */
enum call_site_machine {
	CALL_SITE_X86_64,
	CALL_SITE_I386,
	CALL_SITE_AARCH64,
};

/* The instruction set of native programs. */
#if defined(__x86_64__)
#define CALL_SITE_NATIVE CALL_SITE_X86_64
#elif defined(__aarch64__)
#define CALL_SITE_NATIVE CALL_SITE_AARCH64
#endif

/* Number of bytes to inspect before the address, and from it on. */
#define CALL_SITE_BEFORE 12
#define CALL_SITE_BEHIND 12
#define CALL_SITE_BYTES (CALL_SITE_BEFORE + CALL_SITE_BEHIND)

/* @bytes: CALL_SITE_BYTES bytes, starting CALL_SITE_BEFORE bytes before the address; zeros where there is no code. */
enum call_site call_site(const uint8_t *bytes, enum call_site_machine machine);

/* For an interrupted address: is it one of the two instructions of the signal return code? */
bool call_site_in_signal_return(const uint8_t *bytes, enum call_site_machine machine);

#endif
