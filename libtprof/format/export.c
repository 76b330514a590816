// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* The table of exporters. */
#include "export.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/sized.h"

static const struct exporter {
	struct tprof_format format;
	int (*write)(const struct tprof_profile *profile, FILE *out, const struct tprof_export_opts *opts);
} exporters[] = {
	{ { "text", ".txt", "functions, for people", false }, export_text },
	{ { "json", ".json", "functions, for programs", false }, export_json },
	{ { "folded", ".folded", "call stacks, for flame graph tools", false }, export_folded },
	{ { "pprof", ".pb.gz", "everything, for tprof report and go tool pprof", true }, export_pprof },
	{ { "speedscope", ".speedscope.json", "call stacks, for speedscope", false }, export_speedscope },
};

#define NR_EXPORTERS (sizeof(exporters) / sizeof(exporters[0]))

int tprof_format__each(int (*fn)(void *ctx, const struct tprof_format *format), void *ctx)
{
	int stop = 0;

	for (size_t i = 0; i < NR_EXPORTERS && !stop; i++)
		stop = fn(ctx, &exporters[i].format);
	return stop;
}

static const struct exporter *find_exporter(const char *name)
{
	for (size_t i = 0; i < NR_EXPORTERS; i++) {
		if (strcmp(exporters[i].format.name, name) == 0)
			return &exporters[i];
	}
	return NULL;
}

/* A stream on a copy of the caller's file descriptor, which stays open. */
static FILE *open_stream(int fd)
{
	int copy = dup(fd);
	FILE *out = copy < 0 ? NULL : fdopen(copy, "w");

	if (!out && copy >= 0)
		close(copy);
	return out;
}

int tprof_profile__export(const struct tprof_profile *profile, const char *format, int fd,
			  const struct tprof_export_opts *opts)
{
	const struct exporter *exporter = find_exporter(format);
	struct tprof_export_opts known = { 0 };
	FILE *out;
	int err;

	if (!exporter)
		return -EINVAL;
	err = opts ? sized_take(&known, sizeof(known), opts) : 0;
	if (err)
		return err;
	out = open_stream(fd);
	if (!out)
		return -errno;
	errno = 0;
	err = exporter->write(profile, out, &known);
	if (!err && ferror(out))
		err = errno ? -errno : -EIO;
	if (fclose(out) && !err)
		err = errno ? -errno : -EIO;
	return err;
}
