/* SPDX-License-Identifier: GPL-2.0-only */
/* Events of the sources "kprobe" and "uprobe", for guest tests in C. Include device.h and process.h first. */
#ifndef TPROF_TESTS_PROBE_H
#define TPROF_TESTS_PROBE_H

#ifdef __x86_64__
#define SYSCALL_FUNCTION(name)	"__x64_sys_" name
#else
#define SYSCALL_FUNCTION(name)	"__arm64_sys_" name
#endif

/* Adds a probe of @source; 0 @period: counts only. */
__attribute__((unused))
static int add_probe(int session, const char *source, const char *text, uint64_t offset, uint32_t flags,
		     uint64_t period)
{
	static struct {
		struct tprof_place place;
		char text[4096 - sizeof(struct tprof_place)];
	} attr;
	struct tprof_event event = { .size = sizeof(event), .period = period, .attr = (uintptr_t)&attr };

	snprintf(event.source, sizeof(event.source), "%s", source);
	attr.place = (struct tprof_place){ .flags = flags, .offset = offset };
	snprintf(attr.text, sizeof(attr.text), "%s", text);
	event.attr_size = (uint32_t)(sizeof(attr.place) + strlen(attr.text) + 1);
	if (ioctl(session, TPROF_IOC_ADD_EVENT, &event) < 0)
		return -1;
	/* Whatever the module kept, it is not this memory. */
	memset(&attr, 'x', sizeof(attr));
	return 0;
}

/* The place of a function in the file of this program. */
__attribute__((unused))
static uint64_t file_offset_of(void (*function)(void))
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long long start, end, offset, address = (uintptr_t)function, found = 0;
	char line[512];

	need(maps, "the mappings of this process");
	while (!found && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%llx-%llx %*s %llx", &start, &end, &offset) == 3 && address >= start && address < end)
			found = address - start + offset;
	}
	fclose(maps);
	need(found, "the function is in the file");
	return found;
}

/* Limits the session to the calling thread. */
__attribute__((unused))
static void sample_me(int session)
{
	struct tprof_target target = { .size = sizeof(target), .kind = TPROF_TARGET_THREAD,
				       .id = (uint64_t)syscall(SYS_gettid) };

	need(ioctl(session, TPROF_IOC_ATTACH, &target) == 0, "this thread is the target");
}

/* Samples in scope so far. */
__attribute__((unused))
static uint64_t samples_in_scope(int session)
{
	flush(session);
	return read_ledger(session, -1).outcomes[TPROF_OUTCOME_DONE].samples;
}

__attribute__((unused))
static void call_many(long number, int times)
{
	for (int i = 0; i < times; i++)
		syscall(number);
}

/* Number of sources of this name that run, and of the sessions that share the last of them. */
__attribute__((unused))
static int running_sources(const char *name, unsigned int *users)
{
	char line[1024], source[32], event[512];
	FILE *list = fopen("/sys/kernel/debug/tprof/sources", "re");
	unsigned int id, found;
	unsigned long long period;
	int nr = 0;

	need(list, "the list of sources opens");
	*users = 0;
	while (fgets(line, sizeof(line), list)) {
		if (sscanf(line, "%u\t%31s\t%511s\t%llu\t%u", &id, source, event, &period, &found) != 5 ||
		    strcmp(source, name) != 0)
			continue;
		*users = found;
		nr++;
	}
	fclose(list);
	return nr;
}

#endif
