/* SPDX-License-Identifier: GPL-2.0-only */
/* Processes, CPUs and modules for guest tests in C. Include ktap.h first. */
#ifndef TPROF_TESTS_PROCESS_H
#define TPROF_TESTS_PROCESS_H

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/klog.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/capability.h>

#define NOBODY 65534

/* As fork(), which does not fail here. */
__attribute__((unused))
static pid_t new_child(void)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	need(pid >= 0, "a child is made");
	return pid;
}

/* Runs @work in a child; returns its exit status, or 1000 and the signal that killed it. */
__attribute__((unused))
static int in_child(int (*work)(void))
{
	int status;
	pid_t pid;

	pid = new_child();
	if (!pid)
		_exit(work());
	need(waitpid(pid, &status, 0) == pid, "a child ends");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

/* Starts a child that uses all CPU time that it gets; the test must kill it. */
__attribute__((unused))
static pid_t spin(void)
{
	pid_t pid;

	pid = new_child();
	while (!pid)
		;
	return pid;
}

/* Starts a child and a child of that, which wait for each other all the time; the test must kill the first one. */
__attribute__((unused))
static pid_t take_turns(void)
{
	int there[2], back[2];
	char byte = 0;
	pid_t pid;

	pid = new_child();
	if (pid)
		return pid;
	if (pipe(there) || pipe(back))
		_exit(EXIT_FAILURE);
	if (!fork()) {
		close(there[1]);
		close(back[0]);
		while (read(there[0], &byte, 1) == 1 && write(back[1], &byte, 1) == 1)
			;
		_exit(EXIT_SUCCESS);
	}
	while (write(there[1], &byte, 1) == 1 && read(back[0], &byte, 1) == 1)
		;
	_exit(EXIT_FAILURE);
}

/* Makes a child process another user, with only these capabilities. */
__attribute__((unused))
static void become_user(uid_t uid, uint64_t capabilities)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2], have[2];

	if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) || setresgid(uid, uid, uid) || setresuid(uid, uid, uid) ||
	    syscall(SYS_capget, &header, have))
		_exit(100);
	for (int i = 0; i < 2; i++) {
		data[i].permitted = data[i].effective = have[i].permitted & (uint32_t)(capabilities >> 32 * i);
		data[i].inheritable = 0;
	}
	if (syscall(SYS_capset, &header, data))
		_exit(101);
}

/* Makes a child process the user nobody, with only these capabilities. */
__attribute__((unused))
static void become_nobody(uint64_t capabilities)
{
	become_user(NOBODY, capabilities);
}

/* Binds this thread to a CPU; false if the CPU does not exist or is offline. */
__attribute__((unused))
static bool try_pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set) == 0;
}

__attribute__((unused))
static void pin(int cpu)
{
	need(try_pin(cpu), "CPU %d can be run on", cpu);
}

/* Writes to a kernel file. Returns 0 or -1. */
__attribute__((unused))
static int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t length = strlen(text), written;

	if (fd < 0)
		return -1;
	written = write(fd, text, length);
	close(fd);
	return written == length ? 0 : -1;
}

/* Returns the contents of a kernel file. */
__attribute__((unused))
static const char *read_file(const char *path)
{
	static char text[1 << 16];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t length = 0;
	ssize_t got;

	need(fd >= 0, "%s opens", path);
	while (length < sizeof(text) - 1 && (got = read(fd, text + length, sizeof(text) - 1 - length)) > 0)
		length += got;
	text[length] = '\0';
	close(fd);
	return text;
}

/* Returns the kernel log. */
__attribute__((unused))
static const char *kernel_log(void)
{
	static char text[1 << 18];
	int length = klogctl(3 /* SYSLOG_ACTION_READ_ALL */, text, sizeof(text) - 1);

	need(length >= 0, "the kernel log is read");
	text[length] = '\0';
	return text;
}

/* Waits for a text in the kernel log: messages that are printed with interrupts disabled appear later. */
__attribute__((unused))
static void await_log(const char *text)
{
	while (!strstr(kernel_log(), text))
		usleep(1000);
}

/* Whether this is the machine `debug`. */
__attribute__((unused))
static bool kernel_finds_leaks(void)
{
	return !access("/sys/kernel/debug/kmemleak", F_OK);
}

/* Whether this is the machine `race`. */
__attribute__((unused))
static bool kernel_finds_races(void)
{
	return !access("/sys/kernel/debug/kcsan", F_OK);
}

/* Whether this is `debug` or `race`, where much takes ten times longer. */
__attribute__((unused))
static bool kernel_checks_itself(void)
{
	return kernel_finds_leaks() || kernel_finds_races();
}

/* Whether the machine has more CPUs than its host; then operations of all CPUs take ten times longer. */
__attribute__((unused))
static bool many_cpus(void)
{
	return sysconf(_SC_NPROCESSORS_CONF) > 8;
}

/* Makes each page of this memory fault separately. Real-time kernels have no huge pages, and not this advice either. */
__attribute__((unused))
static bool small_pages(void *area, size_t size)
{
	return madvise(area, size, MADV_NOHUGEPAGE) == 0 || errno == EINVAL;
}

/* Sets a CPU online or offline. Returns 0 or -1. */
__attribute__((unused))
static int set_online(int cpu, bool online)
{
	char path[80];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", cpu);
	return write_file(path, online ? "1" : "0");
}

static uint64_t number_after(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	need(at, "the kernel tells %s", key);
	return strtoull(at + strlen(key), NULL, 10);
}

/* How often the thread has left a CPU. */
__attribute__((unused))
static uint64_t switches_of(pid_t tid)
{
	const char *text;
	char path[40];

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	text = read_file(path);
	return number_after(text, "\nvoluntary_ctxt_switches:") + number_after(text, "\nnonvoluntary_ctxt_switches:");
}

/* Returns 0 or -1. */
__attribute__((unused))
static int unload_module(const char *name)
{
	return syscall(SYS_delete_module, name, O_NONBLOCK);
}

/* Retries, because a filter that was just detached holds a reference to the module for an RCU grace period. */
__attribute__((unused))
static void unload_released_module(const char *name)
{
	for (int tries = 0; unload_module(name); tries++) {
		need(errno == EAGAIN && tries < 300, "%s can be unloaded", name);
		usleep(100000);
	}
}

/* Returns 0 or -1. */
__attribute__((unused))
static int load_module(const char *name)
{
	char path[256];
	int fd, result;

	snprintf(path, sizeof(path), "%s/%s.ko", getenv("TPROF_MODULES"), name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	result = syscall(SYS_finit_module, fd, "", 0);
	close(fd);
	return result;
}

#endif
