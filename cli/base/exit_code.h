/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TPROF_EXIT_CODE_H
#define TPROF_EXIT_CODE_H

/* The exit codes of tprof. With `-- command`, the exit code of the command replaces EXIT_OK. */
enum exit_code {
	EXIT_OK = 0,
	EXIT_FAIL = 1,		/* an error at run time */
	EXIT_USAGE = 2,		/* invalid usage, or something requested does not exist */
	EXIT_LOSS = 3,		/* samples were lost, with --strict */
	EXIT_CANNOT = 4,	/* not supported on this machine, or not permitted */
};

#endif
