/* SPDX-License-Identifier: GPL-2.0-only */
/* The subcommands of tprof. Each has its own file, and one line in the table of main.c. */
#ifndef TPROF_CMD_H
#define TPROF_CMD_H

#include "base/exit_code.h"

struct command {
	const char *name;
	const char *summary;
	int (*run)(int argc, char **argv);	/* argv[0] is the name of the command; returns the exit code */
};

int cmd_diff(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_filter(int argc, char **argv);
int cmd_flame(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_merge(int argc, char **argv);
int cmd_record(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_stat(int argc, char **argv);
int cmd_top(int argc, char **argv);

#endif
