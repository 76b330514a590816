// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Lists of CPUs. */
#include "cpus.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Above the limit of any kernel configuration: CONFIG_NR_CPUS is at most 8192. */
#define CPU_MAX 16384

static int parse_number(const char **text, unsigned int *number)
{
	char *end;
	unsigned long value;

	if (!isdigit((unsigned char)**text))
		return -EINVAL;
	errno = 0;
	value = strtoul(*text, &end, 10);
	if (errno || value >= CPU_MAX)
		return -EINVAL;
	*number = (unsigned int)value;
	*text = end;
	return 0;
}

static int parse_into(bool *set, const char *list)
{
	unsigned int first, last;

	for (;;) {
		if (parse_number(&list, &first))
			return -EINVAL;
		last = first;
		if (*list == '-') {
			list++;
			if (parse_number(&list, &last) || last < first)
				return -EINVAL;
		}
		for (unsigned int cpu = first; cpu <= last; cpu++)
			set[cpu] = true;
		/* Files of the kernel end with a newline. */
		if (!strcmp(list, "") || !strcmp(list, "\n"))
			return 0;
		if (*list++ != ',')
			return -EINVAL;
	}
}

int cpus_parse(struct cpus *cpus, const char *list)
{
	bool *set = calloc(CPU_MAX, sizeof(*set));
	size_t nr = 0;
	int err;

	memset(cpus, 0, sizeof(*cpus));
	if (!set)
		return -ENOMEM;
	err = parse_into(set, list);
	if (err)
		goto out;
	for (unsigned int cpu = 0; cpu < CPU_MAX; cpu++)
		nr += set[cpu];
	cpus->ids = calloc(nr, sizeof(*cpus->ids));
	if (!cpus->ids) {
		err = -ENOMEM;
		goto out;
	}
	for (unsigned int cpu = 0; cpu < CPU_MAX; cpu++) {
		if (set[cpu])
			cpus->ids[cpus->nr++] = cpu;
	}
out:
	free(set);
	return err;
}

static int read_online(struct cpus *online, struct tprof_error *error)
{
	static const char path[] = "/sys/devices/system/cpu/online";
	char list[4096];
	FILE *file = fopen(path, "re");
	int err = file ? 0 : -errno;

	if (file && !fgets(list, sizeof(list), file))
		err = -EIO;
	if (file)
		fclose(file);
	if (!err)
		err = cpus_parse(online, list);
	if (err == -EMFILE || err == -ENOMEM) {
		error_set(error, -err, "%s: %s", path, strerror(-err));
		error_hint_files(error, -err);
		return err;
	}
	if (err)
		return error_set(error, EIO, "%s: cannot be read; is /sys mounted?", path);
	online->nr_online = (unsigned int)online->nr;
	return 0;
}

bool cpus_have(const struct cpus *cpus, unsigned int cpu)
{
	for (size_t i = 0; i < cpus->nr; i++) {
		if (cpus->ids[i] == cpu)
			return true;
	}
	return false;
}

int cpus_init(struct cpus *cpus, const char *list, struct tprof_error *error)
{
	struct cpus online;
	int err = read_online(&online, error);

	if (err)
		return err;
	if (!list) {
		*cpus = online;
		return 0;
	}
	err = cpus_parse(cpus, list);
	if (err) {
		error_set(error, -err, "CPU list %s: not a list like 0-3,8", list);
		error_hint(error, "cat /sys/devices/system/cpu/online");
		goto out;
	}
	cpus->nr_online = online.nr_online;
	cpus->chosen = true;
	for (size_t i = 0; i < cpus->nr; i++) {
		if (cpus_have(&online, cpus->ids[i]))
			continue;
		err = error_set(error, ENXIO, "CPU %u: not online", cpus->ids[i]);
		error_hint(error, "cat /sys/devices/system/cpu/online");
		cpus_release(cpus);
		break;
	}
out:
	cpus_release(&online);
	return err;
}

/* Appends a CPU to an array that other code points to. */
static int append(struct cpus *cpus, unsigned int cpu)
{
	unsigned int *ids = calloc(cpus->nr + 1, sizeof(*ids));

	if (!ids)
		return -ENOMEM;
	memcpy(ids, cpus->ids, cpus->nr * sizeof(*ids));
	ids[cpus->nr] = cpu;
	free(cpus->ids);
	cpus->ids = ids;
	cpus->nr++;
	return 0;
}

int cpus_follow(struct cpus *cpus, struct cpus *online)
{
	int err = read_online(online, NULL);

	if (err)
		return err;
	cpus->nr_online = online->nr_online;
	for (size_t i = 0; i < online->nr && !cpus->chosen && !err; i++) {
		if (!cpus_have(cpus, online->ids[i]))
			err = append(cpus, online->ids[i]);
	}
	if (err)
		cpus_release(online);
	return err;
}

void cpus_release(struct cpus *cpus)
{
	free(cpus->ids);
	memset(cpus, 0, sizeof(*cpus));
}
