// SPDX-License-Identifier: GPL-2.0-only
/* tprof: the table of subcommands, and what stands in front of one. */
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "base/descriptors.h"
#include "base/nearest.h"
#include "base/opt.h"
#include "base/out.h"
#include "base/write_signals.h"
#include "cmd.h"
#include "tprof.h"

static const struct command commands[] = {
	{ "top", "show which functions use the CPU right now", cmd_top },
	{ "record", "sample, and write what was counted to a file", cmd_record },
	{ "run", "run a filter and print what it counted", cmd_run },
	{ "report", "show a profile that was kept", cmd_report },
	{ "diff", "compare two profiles that were kept", cmd_diff },
	{ "flame", "draw the call stacks of a profile that was kept", cmd_flame },
	{ "export", "write a profile that was kept in another format", cmd_export },
	{ "merge", "add up profiles that were kept, and their ledgers", cmd_merge },
	{ "filter", "check, list and show filters", cmd_filter },
	{ "list", "list events, engines, filters, formats, running sessions and sources", cmd_list },
	{ "doctor", "find out what this machine can do and what is missing", cmd_doctor },
};

static const struct command *command_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

static void print_help(FILE *out)
{
	fputs("usage: tprof COMMAND [option ...]\n\n"
	      "Samples what the CPUs do; BPF filters count it in the kernel.\n\n", out);
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		fprintf(out, "  %-10s %s\n", commands[i].name, commands[i].summary);
	fputs("\n`tprof help COMMAND` shows the options of a command, `man tprof` the rest.\n", out);
}

static int unknown(const char *name)
{
	struct nearest nearest = { 0 };
	char hint[64] = "`tprof --help` lists the commands";

	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		nearest_offer(&nearest, name, commands[i].name);
	if (nearest.word)
		snprintf(hint, sizeof(hint), "did you mean `tprof %s`?", nearest.word);
	return out_usage(hint, "%s: no such command", name);
}

static int run_with(const char *name, const char *option)
{
	const struct command *command = command_find(name);
	char *argv[] = { (char *)name, (char *)option, NULL };

	return command ? command->run(2, argv) : unknown(name);
}

/* For the shell: the names of the commands, or the options of one. */
static int complete(const char *name)
{
	if (name)
		return run_with(name, "--complete");
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		puts(commands[i].name);
	return out_finish();
}

int main(int argc, char **argv)
{
	const char *first = argc > 1 ? argv[1] : NULL;

	descriptors_prepare();
	write_signals_ignore();
	setlocale(LC_CTYPE, "");
	if (!first) {
		print_help(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(first, "--version") || !strcmp(first, "-V")) {
		printf("tprof %s\n", tprof_version());
		return out_finish();
	}
	if (!strcmp(first, "--complete"))
		return complete(argv[2]);
	if (!strcmp(first, "help") && argc > 2)
		return run_with(argv[2], "--help");
	if (!strcmp(first, "help") || !strcmp(first, "--help") || !strcmp(first, "-h")) {
		print_help(stdout);
		return out_finish();
	}
	if (first[0] == '-')
		return out_usage("`tprof --help` lists the commands", "%s: no such option", first);
	if (!command_find(first))
		return unknown(first);
	return command_find(first)->run(argc - 1, argv + 1);
}
