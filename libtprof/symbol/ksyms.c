// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * Symbols of the kernel, its modules and BPF programs: of single addresses, from the kernel itself; or all of them,
 * from /proc/kallsyms.
 */
#include "ksyms.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel_names.h"
#include "kmodules.h"
#include "ksym_table.h"

/* A reading that did not help doubles the number of ksyms_age() calls until the next one, up to this many. */
#define MAX_PATIENCE 64
#define BLOCK_BYTES 65536
/* Asking for this many functions takes the kernel a tenth of the time of listing all. */
#define MAX_ASKED 2048

struct ksyms {
	const struct log *log;
	bool loaded, hidden, warned;
	bool is_whole;			/* the table has all symbols, otherwise those that were asked for */
	struct ksym_table table;
	struct kernel_names kernel;
	unsigned int nr_asked;
	bool missed;			/* a lookup has failed since the last ksyms_age() */
	bool changed;			/* code was removed since the last ksyms_age() */
	unsigned int waited, patience;
	struct kmodules modules;	/* read before the symbols */
	bool looked;			/* modules were checked since the last ksyms_age() */
};

struct ksyms *ksyms_new(const struct log *log)
{
	struct ksyms *ksyms = calloc(1, sizeof(*ksyms));

	if (!ksyms)
		return NULL;
	ksyms->log = log;
	ksyms->patience = 1;
	return ksyms;
}

static void forget(struct ksyms *ksyms)
{
	ksyms->loaded = ksyms->hidden = ksyms->is_whole = false;
	ksyms->table.nr = 0;
}

void ksyms_free(struct ksyms *ksyms)
{
	if (!ksyms)
		return;
	ksym_table_fini(&ksyms->table);
	kernel_names_close(&ksyms->kernel);
	kmodules_fini(&ksyms->modules);
	free(ksyms);
}

void ksyms_prepare(struct ksyms *ksyms)
{
	int err = kernel_names_open(&ksyms->kernel);

	if (err)
		log_debug(ksyms->log, "the kernel cannot be asked for names of single functions (%s): all of "
			  "/proc/kallsyms will be read", strerror(-err));
}

static int begin(struct ksyms *ksyms)
{
	forget(ksyms);
	ksyms->loaded = ksyms->is_whole = true;
	return ksym_table_begin(&ksyms->table);
}

int ksyms_parse(struct ksyms *ksyms, const char *kallsyms, size_t size, const char *modules)
{
	ssize_t parsed;
	int err = begin(ksyms);

	parsed = err ? err : ksym_table_parse(&ksyms->table, kallsyms, size);
	ksyms->hidden = !ksyms->table.nr;
	if (parsed >= 0)
		err = kmodules_parse(&ksyms->modules.earlier, modules ? modules : "", NULL);
	if (parsed >= 0 && !err)
		err = ksym_table_add_ends(&ksyms->table, &ksyms->modules.earlier);
	if (parsed < 0 || err) {
		forget(ksyms);
		return parsed < 0 ? (int)parsed : err;
	}
	ksym_table_finish(&ksyms->table);
	ksyms->looked = true;
	return ksyms->hidden ? -EACCES : 0;
}

static int read_kallsyms(struct ksyms *ksyms, int fd, char *block)
{
	size_t kept = 0;
	ssize_t got, parsed;

	while ((got = read(fd, block + kept, BLOCK_BYTES - kept)) > 0) {
		kept += got;
		parsed = ksym_table_parse(&ksyms->table, block, kept);
		if (parsed < 0)
			return (int)parsed;
		kept -= parsed;
		memmove(block, block + parsed, kept);
	}
	return got < 0 ? -errno : 0;
}

static void load(struct ksyms *ksyms)
{
	char *block = malloc(BLOCK_BYTES);
	int fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
	int err = fd < 0 ? -errno : block ? begin(ksyms) : -ENOMEM;

	/* Read first: a change during the reading of the symbols is found at the next check. */
	if (!err)
		err = kmodules_read(&ksyms->modules);
	if (!err)
		err = read_kallsyms(ksyms, fd, block);
	if (!err && !ksyms->table.nr)
		err = -EACCES;
	if (!err)
		err = ksym_table_add_ends(&ksyms->table, &ksyms->modules.earlier);
	if (!err)
		ksym_table_finish(&ksyms->table);
	if (err)
		forget(ksyms);
	if (fd >= 0)
		close(fd);
	free(block);

	ksyms->loaded = ksyms->looked = true;
	ksyms->hidden = err;
	if (err && !ksyms->warned)
		log_warn(ksyms->log, "kernel functions have no names: %s", err == -EACCES ?
			 "/proc/kallsyms hides their addresses (see the sysctl kernel.kptr_restrict)" :
			 strerror(-err));
	ksyms->warned |= err != 0;
	if (!err)
		log_debug(ksyms->log, "/proc/kallsyms: %zu entries, %zu bytes of names", ksyms->table.nr,
			  ksyms->table.names_size);
}

/*
 * New modules lie where no code was, so symbols that are read now are right for them too. If modules were removed,
 * samples in them can be named by the old symbols only, which stay in use until ksyms_age().
 */
static void handle_change(struct ksyms *ksyms, enum kmodules_change change)
{
	ksyms->looked = true;
	if (change == KMODULES_SAME)
		return;
	ksyms->patience = 1;
	if (change == KMODULES_CAME)
		forget(ksyms);
	else
		ksyms->changed = true;
}

int ksyms_parse_later(struct ksyms *ksyms, const char *modules)
{
	int err = kmodules_parse(&ksyms->modules.later, modules, NULL);

	if (!err)
		handle_change(ksyms, kmodules_compare(&ksyms->modules));
	return err;
}

/* Asks for a function and inserts it. Returns 0 or -errno. */
static int ask(struct ksyms *ksyms, uint64_t ip)
{
	struct kernel_name name;
	int err = ksyms->nr_asked++ < MAX_ASKED ? kernel_names_ask(&ksyms->kernel, ip, &name) : -E2BIG;

	if (err)
		return err;
	return ksym_table_insert(&ksyms->table, name.start, name.end, &(struct ksym_name){
			name.name, name.object, name.name_length, name.object_length,
		});
}

/* Is there a function that contains @ip? */
static bool covers(const struct ksyms *ksyms, uint64_t ip, struct ksym_found *found)
{
	return ksym_table_find(&ksyms->table, ip, found) && found->start <= ip;
}

/*
 * Asks for all that ksym_table_find() needs: the function at @ip; and the one at the next byte, which is meant instead
 * if there is none at @ip, or if it is a BPF program. Returns 0; -ENODATA: @ip is in padding; or another -errno.
 */
static int ask_about(struct ksyms *ksyms, uint64_t ip)
{
	struct ksym_found found;
	int err = covers(ksyms, ip, &found) ? 0 : ask(ksyms, ip);

	if (err && err != -ENOENT && err != -ENODATA)
		return err;
	/* No BPF program begins within the core kernel. */
	if (!err && covers(ksyms, ip, &found) && (!found.is_last_byte || !strcmp(found.object, "[kernel]")))
		return 0;
	if (covers(ksyms, ip + 1, &found) || !ask(ksyms, ip + 1))
		return 0;
	return err;
}

/* After a question that failed. The kernel has no single names for the code of kprobes and of function tracing. */
static void load_instead(struct ksyms *ksyms, uint64_t ip, int err)
{
	log_debug(ksyms->log, "all kernel functions are read: asked for %#" PRIx64 ": %s", ip,
		  err == -E2BIG ? "too many questions" : strerror(-err));
	if (err != -ENOENT && err != -E2BIG)
		kernel_names_close(&ksyms->kernel);
	load(ksyms);
}

/* Begins with the functions that will be asked for, or with all symbols. */
static void begin_lookups(struct ksyms *ksyms)
{
	if (!kernel_names_are_open(&ksyms->kernel) || begin(ksyms) || kmodules_read(&ksyms->modules))
		return load(ksyms);
	ksyms->looked = true;
	ksyms->is_whole = false;
	ksyms->nr_asked = 0;
}

/* The kernel names what is at an address now; where modules were removed, samples may be of earlier code. */
static void ask_if_needed(struct ksyms *ksyms, uint64_t ip)
{
	bool some_went = ksyms->modules.some_went;
	int err;

	if (ksyms->is_whole || (some_went && kmodules_changed_at(&ksyms->modules, ip)))
		return;
	err = ask_about(ksyms, ip);
	if (err && err != -ENODATA && !(err == -ENOENT && some_went))
		load_instead(ksyms, ip, err);
}

bool ksyms_find(struct ksyms *ksyms, uint64_t ip, const char **name, const char **object, uint64_t *delta)
{
	struct ksym_found found;

	if (ksyms->loaded && !ksyms->hidden && !ksyms->looked)
		handle_change(ksyms, kmodules_look(&ksyms->modules));
	if (!ksyms->loaded)
		begin_lookups(ksyms);
	if (!ksyms->hidden)
		ask_if_needed(ksyms, ip);
	if (ksyms->hidden)
		return false;
	if (!ksym_table_find(&ksyms->table, ip, &found)) {
		ksyms->missed |= ksyms->is_whole;
		return false;
	}
	*name = found.name;
	*object = found.object;
	if (kmodules_replaced(&ksyms->modules, *object, ip < found.start ? found.start : ip))
		return false;
	*delta = ip < found.start ? 0 : ip - found.start;
	return true;
}

void ksyms_changed(struct ksyms *ksyms)
{
	ksyms->changed = true;
}

void ksyms_age(struct ksyms *ksyms)
{
	ksyms->looked = false;
	if (!ksyms->loaded || ksyms->hidden)
		return;
	if (ksyms->changed) {
		ksyms->patience = 1;
		forget(ksyms);
	} else if (ksyms->missed && ++ksyms->waited >= ksyms->patience) {
		ksyms->waited = 0;
		if (ksyms->patience < MAX_PATIENCE)
			ksyms->patience *= 2;
		forget(ksyms);
	}
	ksyms->missed = ksyms->changed = false;
}

size_t ksyms_nr(const struct ksyms *ksyms)
{
	return ksyms->table.nr;
}
