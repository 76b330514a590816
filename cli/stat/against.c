// SPDX-License-Identifier: GPL-2.0-only
/* The two commands of --against. */
#include "against.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLANKS " \t"
/* Quotes, operators, patterns, variables and comments. */
#define SHELL_CHARACTERS "\n;&|<>()$`\\\"'*?[]{}#~!"

static bool is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

/* Would execvp(3) find it? Otherwise it may be a word of the shell. */
static bool is_found(const char *name)
{
	const char *at = getenv("PATH");
	char path[PATH_MAX];

	if (strchr(name, '/'))
		return true;
	if (!at)
		at = "/bin:/usr/bin";
	for (bool more = true; more; at++) {
		size_t length = strcspn(at, ":");
		int size = snprintf(path, sizeof(path), "%.*s%s%s", (int)length, at, length ? "/" : "", name);

		if (size < (int)sizeof(path) && is_program(path))
			return true;
		at += length;
		more = *at == ':';
	}
	return false;
}

/* Splits @text in place. Errors: ENOMEM. */
static char **split(char *text)
{
	char **words = calloc(strlen(text) / 2 + 2, sizeof(*words)), *rest = NULL;
	size_t nr = 0;

	for (char *word = strtok_r(text, BLANKS, &rest); words && word; word = strtok_r(NULL, BLANKS, &rest))
		words[nr++] = word;
	return words;
}

/* The command, started by a shell that does nothing else. */
static char **in_shell(char **command)
{
	static char sh[] = "sh", option[] = "-c", run[] = "\"$@\"";
	size_t nr = 0;
	char **words;

	while (command[nr])
		nr++;
	words = calloc(nr + 5, sizeof(*words));
	if (!words)
		return NULL;
	words[0] = words[3] = sh;
	words[1] = option;
	words[2] = run;
	memcpy(words + 4, command, nr * sizeof(*words));
	return words;
}

static bool is_of_shell(char *const *words)
{
	/* NAME=VALUE before a command is an assignment. */
	return !words[0] || strchr(words[0], '=') || !is_found(words[0]);
}

int against_init(struct against *against, char **command, const char *text)
{
	static char sh[] = "sh", option[] = "-c";
	char **words;

	*against = (struct against){ .text = strdup(text), .shell = { sh, option, (char *)text, NULL } };
	words = against->text ? split(against->text) : NULL;
	if (!words)
		return -ENOMEM;
	if (!text[strcspn(text, SHELL_CHARACTERS)] && !is_of_shell(words)) {
		against->commands[0] = command;
		against->commands[1] = words;
		return 0;
	}
	free(words);
	against->commands[1] = against->shell;
	against->commands[0] = in_shell(command);
	return against->commands[0] ? 0 : -ENOMEM;
}

void against_fini(struct against *against)
{
	if (against->commands[1] == against->shell)
		free(against->commands[0]);
	else
		free(against->commands[1]);
	free(against->text);
	*against = (struct against){ 0 };
}
