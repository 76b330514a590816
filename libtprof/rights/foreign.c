// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
#include "foreign.h"

#include <unistd.h>

static int ask(struct broker *broker, const struct broker_request *request)
{
	return broker ? broker_ask(broker, request) : broker_serve(request);
}

int foreign_open(struct broker *broker, enum broker_question what, pid_t pid)
{
	return ask(broker, &(struct broker_request){ .question = what, .pid = pid });
}

int foreign_open_map_file(struct broker *broker, pid_t pid, uint64_t start, uint64_t end)
{
	return ask(broker, &(struct broker_request){
			.question = BROKER_MAP_FILE, .pid = pid, .start = start, .end = end,
		});
}

int foreign_read(struct broker *broker, struct proc_text *text, enum broker_question what, pid_t pid)
{
	int fd = foreign_open(broker, what, pid), err;

	if (fd < 0)
		return fd;
	err = proc_text_read(text, fd);
	close(fd);
	return err;
}
