/* SPDX-License-Identifier: GPL-2.0-only */
/* Modules that register a source, and their parameters, for guest tests in C. Include device.h first. */
#ifndef TPROF_TESTS_SOURCE_H
#define TPROF_TESTS_SOURCE_H

#include <sys/syscall.h>

/* Returns 0, or -1 with the error of the module or the kernel in errno. */
__attribute__((unused))
static int load_source(const char *name, const char *parameters)
{
	const char *directory = getenv("TPROF_MODULES");
	char path[256];
	int fd, result, error;

	snprintf(path, sizeof(path), "%s/%s.ko", directory ? directory : ".", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	need(fd >= 0, "%s is there", path);
	result = (int)syscall(SYS_finit_module, fd, parameters, 0);
	error = errno;
	close(fd);
	errno = error;
	return result;
}

/* Returns 0, or -1: EWOULDBLOCK if the module is in use. */
__attribute__((unused))
static int unload_source(const char *name)
{
	return (int)syscall(SYS_delete_module, name, O_NONBLOCK);
}

__attribute__((unused))
static FILE *open_parameter(const char *module, const char *name, const char *mode)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "/sys/module/%s/parameters/%s", module, name);
	file = fopen(path, mode);
	need(file, "%s opens", path);
	return file;
}

/* Whether the module has accepted the value. */
__attribute__((unused))
static bool write_parameter(const char *module, const char *name, unsigned int value)
{
	FILE *file = open_parameter(module, name, "w");
	bool good = fprintf(file, "%u", value) > 0;

	return fclose(file) == 0 && good;
}

/* Adds an event of a source; @attr is text that chooses the event, if the source has a choice. */
__attribute__((unused))
static int add_source(int session, const char *source, const char *attr, uint64_t period)
{
	struct tprof_event event = { .size = sizeof(event), .period = period };

	snprintf(event.source, sizeof(event.source), "%s", source);
	if (attr) {
		event.attr = (uintptr_t)attr;
		event.attr_size = (uint32_t)strlen(attr);
	}
	return ioctl(session, TPROF_IOC_ADD_EVENT, &event);
}

/* Adds an event with attributes of @size bytes to a session that is then closed. Returns what the call returned. */
__attribute__((unused))
static int try_event(int device, const char *source, const void *attr, uint32_t size, uint64_t period)
{
	struct tprof_event event = {
		.size = sizeof(event), .period = period, .attr = (uintptr_t)attr, .attr_size = size,
	};
	int session = create_session(device), result, error;

	need(session >= 0, "a session is made");
	snprintf(event.source, sizeof(event.source), "%s", source);
	result = ioctl(session, TPROF_IOC_ADD_EVENT, &event);
	error = errno;
	close(session);
	errno = error;
	return result;
}

/* Returns the samples and the weight that tprof_nmi.ko has fired. */
__attribute__((unused))
static struct tprof_tally read_nmis(void)
{
	FILE *file = open_parameter("tprof_nmi", "fired", "r");
	struct tprof_tally tally = { 0 };

	need(fscanf(file, "%llu %llu", &tally.samples, &tally.weight) == 2, "the number of NMIs is read");
	fclose(file);
	return tally;
}

#endif
