/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TPROF_EXIT_CODE_H
#define TPROF_EXIT_CODE_H

/* How tprof ends. With `-- command`, the command's own exit code takes the place of EXIT_OK. */
enum exit_code {
	EXIT_OK = 0,
	EXIT_FAIL = 1,		/* something went wrong on the way */
	EXIT_USAGE = 2,		/* what was asked for makes no sense or is not there */
	EXIT_LOSS = 3,		/* samples were lost, under --strict */
	EXIT_CANNOT = 4,	/* this machine, or this user on it, cannot do it */
};

#endif
