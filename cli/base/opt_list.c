// SPDX-License-Identifier: GPL-2.0-only
/* Options whose values are lists. */
#include "opt_list.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "exit_code.h"
#include "grow.h"
#include "out.h"

static int out_of_memory(void)
{
	out_error(NULL, "%s", strerror(ENOMEM));
	return EXIT_FAIL;
}

static int add_id(const struct opt *opt, const char *word, struct opt_ids *ids)
{
	pid_t *more = grow_array(ids->ids, ids->nr, &ids->capacity, sizeof(*more));
	uint64_t id = 0;
	int code;

	if (!more)
		return out_of_memory();
	ids->ids = more;
	code = opt_number(opt, word, 1, INT_MAX, &id);
	if (!code)
		more[ids->nr++] = (pid_t)id;
	return code;
}

int opt_add_ids(const struct opt *opt, const char *value, struct opt_ids *ids)
{
	char *list = strdup(value), *rest = list, *word;
	int code = 0;

	if (!list)
		return out_of_memory();
	while (!code && (word = strsep(&rest, ",")))
		code = add_id(opt, word, ids);
	free(list);
	return code;
}

int opt_add_text(const char *value, struct opt_texts *texts)
{
	const char **more = grow_array(texts->texts, texts->nr, &texts->capacity, sizeof(*more));

	if (!more)
		return out_of_memory();
	more[texts->nr++] = value;
	texts->texts = more;
	return 0;
}
