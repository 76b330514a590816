// SPDX-License-Identifier: GPL-2.0-only
/* tprof: the table of subcommands, and the options that are valid without a subcommand. */
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
	{ "record", "sample, and write a profile to a file", cmd_record },
	{ "stat", "count events without samples: of a command, processes, cgroups or the machine", cmd_stat },
	{ "run", "run a filter and print its tables", cmd_run },
	{ "report", "show a saved profile", cmd_report },
	{ "diff", "compare two saved profiles", cmd_diff },
	{ "flame", "draw the call stacks of a saved profile as a flame graph", cmd_flame },
	{ "export", "convert a saved profile to another format", cmd_export },
	{ "merge", "add up saved profiles and their ledgers", cmd_merge },
	{ "filter", "check, list and show filters", cmd_filter },
	{ "list", "list events, engines, filters, formats, running sessions and sources", cmd_list },
	{ "doctor", "check what this machine supports, what is missing, and how to fix it", cmd_doctor },
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
	      "A sampling profiler: BPF filters count the samples in the kernel.\n\n", out);
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		fprintf(out, "  %-10s %s\n", commands[i].name, commands[i].summary);
	fputs("\n`tprof help COMMAND` shows the options of a command, `man tprof` the manual.\n", out);
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

/* For shell completion: prints the names of the commands, or the options of one command. */
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
