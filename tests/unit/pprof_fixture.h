/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes, reads, unpacks and refuses pprof files in memory. Include it after cmocka.h. */
#ifndef TPROF_PPROF_FIXTURE_H
#define TPROF_PPROF_FIXTURE_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/gzip.h"
#include "call_stack_fixture.h"

static inline int memory_fd(void)
{
	int fd = memfd_create("pprof", MFD_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

static inline int exported(const struct tprof_profile *profile)
{
	int fd = memory_fd();

	assert_int_equal(tprof_profile__export(profile, "pprof", fd, NULL), 0);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

static inline struct tprof_profile *read_back(int fd)
{
	struct tprof_error error = { 0 };
	struct tprof_profile *profile = tprof_profile__read(fd, "test", &error);

	if (!profile)
		fail_msg("%s", error.text);
	close(fd);
	return profile;
}

static inline struct tprof_tally sum_of_call_stacks(const struct tprof_profile *profile)
{
	struct tprof_tally sum = { 0, 0 };

	for (size_t i = 0; i < tprof_profile__nr_call_stacks(profile); i++) {
		sum.samples += tprof_profile__call_stack(profile, i)->samples;
		sum.weight += tprof_profile__call_stack(profile, i)->weight;
	}
	return sum;
}

static inline struct tprof_tally sum_of_entries(const struct tprof_profile *profile)
{
	struct tprof_tally sum = { 0, 0 };

	for (size_t i = 0; i < tprof_profile__nr_entries(profile); i++) {
		sum.samples += tprof_profile__entry(profile, i)->samples;
		sum.weight += tprof_profile__entry(profile, i)->weight;
	}
	return sum;
}

static inline int packed(const uint8_t *bytes, size_t size)
{
	int fd = memory_fd();
	FILE *out = fdopen(dup(fd), "w");

	assert_non_null(out);
	assert_int_equal(gzip_write(bytes, size, out), 0);
	assert_int_equal(fclose(out), 0);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

static inline void refuse(int fd, int err, const char *text)
{
	struct tprof_error error = { 0 };

	errno = 0;
	assert_null(tprof_profile__read(fd, "test", &error));
	assert_int_equal(errno, err);
	if (!strstr(error.text, text) || strncmp(error.text, "test: ", 6))
		fail_msg("'%s' does not say '%s'", error.text, text);
	close(fd);
}

/* Returns the uncompressed message of a file of tprof, for changes. */
static inline struct gzip_bytes message_of(const struct tprof_profile *profile)
{
	struct gzip_bytes message;
	int fd = exported(profile);

	assert_int_equal(gzip_read(fd, &(struct file_head){ 0 }, "test", 1 << 20, &message, NULL), 0);
	close(fd);
	return message;
}

#endif
