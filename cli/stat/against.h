/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The two commands of --against. They are started alike, so that the start of a shell is counted in both or in none:
 * by exec, if the second is words of a program, otherwise both by a shell.
 */
#ifndef TPROF_AGAINST_H
#define TPROF_AGAINST_H

struct against {
	char **commands[2];	/* NULL-terminated words: the command, and the one of --against */
	char *text;		/* memory of the words */
	char *shell[4];
};

/* Fills @against; the words of @command and @text must outlive it. 0 or -ENOMEM. */
int against_init(struct against *against, char **command, const char *text);
void against_fini(struct against *against);

#endif
