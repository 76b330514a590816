// SPDX-License-Identifier: GPL-2.0-only
/* The file descriptors of this process and their limit. */
#include "descriptors.h"

#include <fcntl.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <unistd.h>

static struct rlimit given;
static bool was_raised;

static void occupy_standard(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

void descriptors_prepare(void)
{
	struct rlimit most;

	occupy_standard();
	if (getrlimit(RLIMIT_NOFILE, &given))
		return;
	most = given;
	most.rlim_cur = most.rlim_max;
	was_raised = setrlimit(RLIMIT_NOFILE, &most) == 0;
}

void descriptors_give_back(void)
{
	if (was_raised)
		setrlimit(RLIMIT_NOFILE, &given);
}
