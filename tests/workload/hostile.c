// SPDX-License-Identifier: GPL-2.0-only
/*
 * An unprivileged process that attacks a sampler: hostile WHAT [SECONDS]. It repeats one kind of attack, and works at
 * times, so that it is sampled. Its children end with it.
 *
 *   cover    many small mappings, a fork, and one mapping over all of them in the child
 *   stale    the same with unmapped mappings, because no record reports an unmap
 *   many     64,000 mappings, made downwards, and children that change one
 *   forks    children that exit immediately, and programs that execute themselves again
 *   comms    threads and a process whose names are random bytes
 *   perfmap  a perf map that is written, truncated and replaced while it is read
 *   elf      a file with code that is truncated and overwritten while it runs
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"

#define PAGE 4096UL
#define NR_PIECES 400
#define NR_MANY 64000UL
#define NR_THREADS 2
#define MAX_CHILDREN 4

static const char *self;
static uint64_t end_ns;

static int goes_on(void)
{
	return clock_ns(CLOCK_MONOTONIC) < end_ns;
}

/* Takes some milliseconds. Refers to nothing outside of itself, so that a copy runs at any address. */
__attribute__((noinline)) static void work(long rounds)
{
	for (volatile long i = 0; i < rounds; i++)
		;
}

static void *map_code(void *at, size_t size)
{
	return mmap(at, size, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

static char *reserve(size_t size)
{
	char *base = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (base == MAP_FAILED)
		exit(EXIT_FAILURE);
	return base;
}

/* Forks a child that is killed when its parent ends. */
static pid_t fork_child(void)
{
	pid_t parent = getpid(), child = fork();

	if (!child && (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent))
		_exit(1);
	return child;
}

/* Forks a child that makes one mapping over [@base, @base + @size) and ends. */
static void cover(char *base, size_t size)
{
	pid_t child = fork_child();

	if (!child) {
		map_code(base, size);
		work(2000000);
		_exit(0);
	}
	if (child > 0)
		waitpid(child, NULL, 0);
}

static void run_cover(int unmap)
{
	const size_t size = 2 * NR_PIECES * PAGE;

	for (int nr = 5; goes_on(); nr = nr % NR_PIECES + 37) {
		char *base = reserve(size);

		for (int i = 0; i < nr; i++)
			map_code(base + 2 * (size_t)i * PAGE, PAGE);
		if (unmap) {
			munmap(base, size);
			if (fork() == 0)
				_exit(0);
			wait(NULL);
			reserve(PAGE);
		}
		work(200000);
		cover(base, 2 * (size_t)nr * PAGE);
		munmap(base, size);
	}
}

static void run_many(void)
{
	const size_t size = 2 * NR_MANY * PAGE;
	char *base = reserve(size);
	int file = open(self, O_RDONLY);

	for (size_t i = NR_MANY; i-- > 0 && goes_on();)
		mmap(base + 2 * i * PAGE, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, file, 0);
	for (size_t i = 0; goes_on(); i = (i + 7919) % NR_MANY)
		cover(base + 2 * i * PAGE, 3 * PAGE);
}

static void run_forks(void)
{
	int nr = 0;

	while (goes_on()) {
		pid_t child = fork_child();

		if (!child && getpid() % 2)
			_exit(0);
		if (!child) {
			execl(self, self, "again", "20", NULL);
			_exit(1);
		}
		nr += child > 0;
		while (nr > MAX_CHILDREN && wait(NULL) > 0)
			nr--;
	}
	while (wait(NULL) > 0)
		;
}

/* Executes this program again, in the same process, @times more times. */
static int run_again(const char *times)
{
	char left[16];

	snprintf(left, sizeof(left), "%d", atoi(times) - 1);
	work(20000);
	if (atoi(times) > 0)
		execl(self, self, "again", left, NULL);
	return 0;
}

static void *rename_forever(void *seed)
{
	unsigned int state = (unsigned int)(size_t)seed;
	char name[16];

	while (goes_on()) {
		for (size_t i = 0; i < sizeof(name) - 1; i++)
			name[i] = (char)rand_r(&state);
		name[rand_r(&state) % sizeof(name)] = '\0';
		prctl(PR_SET_NAME, name);
		work(2000);
	}
	return NULL;
}

static void run_comms(void)
{
	pthread_t threads[NR_THREADS];

	for (size_t i = 0; i < NR_THREADS; i++)
		pthread_create(&threads[i], NULL, rename_forever, (void *)(i + 2));
	rename_forever((void *)1);
	for (size_t i = 0; i < NR_THREADS; i++)
		pthread_join(threads[i], NULL);
}

/* Returns a copy of work() on a new page; the function is much smaller than a page. */
static void (*copy_of_work(void))(long rounds)
{
	char *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		exit(EXIT_FAILURE);
	memcpy(page, (void *)work, 256);
	__builtin___clear_cache(page, page + PAGE);
	mprotect(page, PAGE, PROT_READ | PROT_EXEC);
	return (void (*)(long))page;
}

static void write_map(const char *path, void (*code)(long rounds), int lines)
{
	FILE *map = fopen(path, "w");

	for (int i = 0; map && i < lines; i++)
		fprintf(map, "%lx %lx name_%d_%x\n", (unsigned long)code + (unsigned long)(rand() % 64),
			(unsigned long)(rand() % 256), i, (unsigned int)rand());
	if (map)
		fclose(map);
}

static void run_perfmap(void)
{
	void (*code)(long rounds) = copy_of_work();
	char path[64], other[64];

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	snprintf(other, sizeof(other), "/tmp/perf-%d.other", getpid());
	for (int i = 0; goes_on(); i++) {
		write_map(path, code, 1 << rand() % 14);
		code(1000000);
		switch (i % 4) {
		case 0:
			if (truncate(path, rand() % 4096))
				unlink(path);
			break;
		case 1:
			if (truncate(path, 1L << 40))
				unlink(path);
			break;
		case 2:
			unlink(path);
			mkfifo(path, 0600);
			break;
		default:
			unlink(path);
			if (symlink("/proc/self/mem", path))
				break;
		}
		code(1000000);
		unlink(path);
		write_map(other, code, 100);
		rename(other, path);
	}
	unlink(path);
}

/* Returns the file offset of the page with work(), from its mapping; 0 if it is unknown. */
static size_t offset_of_work(size_t *inside)
{
	unsigned long start, stop, offset, at = (unsigned long)work;
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512];
	size_t found = 0;

	while (maps && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%lx %*s %lx", &start, &stop, &offset) == 3 && at >= start && at < stop) {
			found = offset + (at - start) / PAGE * PAGE;
			*inside = at % PAGE;
		}
	}
	if (maps)
		fclose(maps);
	return found;
}

static void copy_self(const char *path)
{
	static char bytes[1 << 20];
	int from = open(self, O_RDONLY), to = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0700);
	ssize_t nr = read(from, bytes, sizeof(bytes));

	if (nr < 0 || write(to, bytes, (size_t)nr) != nr)
		exit(EXIT_FAILURE);
	close(from);
	close(to);
}

/* Ends with SIGBUS when the file is truncated. */
static void run_copy(const char *path, size_t offset, size_t inside)
{
	int file = open(path, O_RDONLY);
	char *code = mmap(NULL, 2 * PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, (off_t)offset);

	if (code == MAP_FAILED)
		_exit(1);
	for (;;)
		((void (*)(long))(code + inside))(100000);
}

static void damage(const char *path, int round)
{
	char bytes[256];
	int file = open(path, O_WRONLY);

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)rand();
	if (round % 2 && pwrite(file, bytes, sizeof(bytes), rand() % 4096) < 0)
		perror(path);
	if (ftruncate(file, rand() % 8192))
		perror(path);
	close(file);
}

static void run_elf(void)
{
	size_t inside = 0, offset = offset_of_work(&inside);
	char path[64];

	snprintf(path, sizeof(path), "/tmp/hostile-%d", getpid());
	for (int round = 0; goes_on(); round++) {
		pid_t child;

		copy_self(path);
		child = fork_child();
		if (!child)
			run_copy(path, offset, inside);
		usleep((useconds_t)(rand() % 20000));
		damage(path, round);
		usleep(5000);
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		if (round % 3 == 0)
			unlink(path);
	}
	unlink(path);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	char path[4096] = "";

	self = readlink("/proc/self/exe", path, sizeof(path) - 1) > 0 ? path : argv[0];
	if (!strcmp(what, "again"))
		return run_again(argc > 2 ? argv[2] : "0");
	end_ns = clock_ns(CLOCK_MONOTONIC) + NSEC_PER_SEC * (uint64_t)(argc > 2 ? atoi(argv[2]) : 5);
	srand(1);
	if (!strcmp(what, "cover"))
		run_cover(0);
	else if (!strcmp(what, "stale"))
		run_cover(1);
	else if (!strcmp(what, "many"))
		run_many();
	else if (!strcmp(what, "forks"))
		run_forks();
	else if (!strcmp(what, "comms"))
		run_comms();
	else if (!strcmp(what, "perfmap"))
		run_perfmap();
	else if (!strcmp(what, "elf"))
		run_elf();
	else
		return 2;
	return 0;
}
