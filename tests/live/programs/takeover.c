// SPDX-License-Identifier: GPL-2.0-only
/*
 * The payload of an attacker who controls tprof through a malicious file. It is linked into a tprof that calls
 * takeover() where it reads a file. TAKEOVER_REPORT is the descriptor of a file to which it writes a line for each
 * attempt: "done", or the name of the error.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/openat2.h>
#include <linux/perf_event.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef SYS_io_uring_setup
#define SYS_io_uring_setup 425
#endif

void takeover(void);

static int report_fd = -1;
static pid_t victim;
static char inside[4096];

static const char *path_of(const char *name)
{
	static char path[8192];

	snprintf(path, sizeof(path), "%s/%s", inside, name);
	return path;
}

static void report(const char *what, long result)
{
	char line[256];
	int length = snprintf(line, sizeof(line), "%s %s\n", what, result < 0 ? strerrorname_np(errno) : "done");

	if (write(report_fd, line, (size_t)length) != length)
		abort();
}

static void try_signals(void)
{
	struct f_owner_ex owner = { F_OWNER_PID, victim };
	char byte = 0;
	struct iovec ours = { &byte, 1 }, theirs = { &byte, 1 };
	int pidfd = (int)syscall(SYS_pidfd_open, victim, 0);

	report("kill", kill(victim, SIGUSR1));
	report("tgkill", syscall(SYS_tgkill, victim, victim, SIGUSR1));
	report("tkill", syscall(SYS_tkill, victim, SIGUSR1));
	report("sigqueue", sigqueue(victim, SIGUSR1, (union sigval){ 0 }));
	report("pidfd_send_signal", syscall(SYS_pidfd_send_signal, pidfd, SIGUSR1, NULL, 0));
	report("pidfd_getfd", syscall(SYS_pidfd_getfd, pidfd, 0, 0));
	report("owner", fcntl(pidfd, F_SETOWN_EX, &owner));
	report("async", fcntl(pidfd, F_SETFL, O_ASYNC));
	report("setpriority", setpriority(PRIO_PROCESS, (id_t)victim, 1));
	/* No user has this ID. */
	report("setpriority_of_user", setpriority(PRIO_USER, 4000000000U, 1));
	report("ptrace", ptrace(PTRACE_SEIZE, victim, NULL, NULL));
	report("process_vm_writev", process_vm_writev(victim, &ours, 1, &theirs, 1, 0) < 0 && errno != EFAULT ? -1 : 0);
	close(pidfd);
}

static void try_files(void)
{
	struct open_how how = { .flags = O_WRONLY | O_CREAT, .mode = 0600 };
	char from[8192], name[64];

	report("create", open(path_of("new"), O_WRONLY | O_CREAT, 0600));
	report("create_by_openat2", syscall(SYS_openat2, AT_FDCWD, path_of("newer"), &how, sizeof(how)));
	how = (struct open_how){ .flags = O_RDONLY | O_TRUNC };
	report("cut_by_openat2", syscall(SYS_openat2, AT_FDCWD, path_of("there"), &how, sizeof(how)));
	report("write", open(path_of("there"), O_WRONLY));
	report("cut_by_open", open(path_of("there"), O_RDONLY | O_TRUNC));
	report("temporary", open(inside, O_TMPFILE | O_RDWR, 0600));
	report("lock", flock(open(path_of("there"), O_RDONLY), LOCK_EX));
	report("truncate", truncate(path_of("there"), 0));
	report("chmod", chmod(path_of("there"), 0777));
	report("chown", chown(path_of("there"), 1, 1));
	report("mkdir", mkdir(path_of("directory"), 0700));
	report("symlink", symlink("/", path_of("symlink")));
	snprintf(from, sizeof(from), "%s", path_of("there"));
	report("link", link(from, path_of("link")));
	report("rename", rename(from, path_of("elsewhere")));
	snprintf(from, sizeof(from), "%s", path_of("elsewhere"));
	report("unlink", unlink(from));
	snprintf(name, sizeof(name), "/proc/%d/mem", victim);
	report("memory_of_another", open(name, O_RDWR));
	report("sysctl", open("/proc/sys/kernel/core_pattern", O_WRONLY));
	report("mount", mount("none", inside, "tmpfs", 0, NULL));
	report("unshare", unshare(CLONE_NEWNS));
	report("chroot", chroot(inside));
}

static void try_network(void)
{
	static const struct {
		const char *what;
		int domain, type;
	} sockets[] = {
		{ "tcp", AF_INET, SOCK_STREAM }, { "udp6", AF_INET6, SOCK_DGRAM }, { "unix", AF_UNIX, SOCK_STREAM },
		{ "netlink", AF_NETLINK, SOCK_RAW }, { "packet", AF_PACKET, SOCK_RAW },
	};
	int pair[2];

	for (size_t i = 0; i < sizeof(sockets) / sizeof(sockets[0]); i++)
		report(sockets[i].what, socket(sockets[i].domain, sockets[i].type, 0));
	report("socketpair", socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
}

static void try_kernel(void)
{
	struct bpf_insn exit_with_0[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 }, { .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr program = {
		.prog_type = BPF_PROG_TYPE_SOCKET_FILTER, .insns = (uintptr_t)exit_with_0, .insn_cnt = 2,
		.license = (uintptr_t)"GPL",
	};
	union bpf_attr map = { .map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 4, .max_entries = 1 };
	union bpf_attr next = { .start_id = 0 };
	struct perf_event_attr event = {
		.size = sizeof(event), .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY,
	};
	char ring[256] = { 0 };

	report("bpf_program", syscall(SYS_bpf, BPF_PROG_LOAD, &program, sizeof(program)));
	report("bpf_map", syscall(SYS_bpf, BPF_MAP_CREATE, &map, sizeof(map)));
	report("bpf_next", syscall(SYS_bpf, BPF_MAP_GET_NEXT_ID, &next, sizeof(next)) < 0 && errno != ENOENT ? -1 : 0);
	report("perf_event", syscall(SYS_perf_event_open, &event, 0, -1, -1, 0));
	report("module", syscall(SYS_init_module, ring, sizeof(ring), "") < 0 && errno != ENOEXEC ? -1 : 0);
	report("io_uring", syscall(SYS_io_uring_setup, 1, ring));
	report("typing", ioctl(STDIN_FILENO, TIOCSTI, "x") < 0 && errno != ENOTTY && errno != EIO ? -1 : 0);
}

static bool child_succeeds(long child)
{
	int status = 0;

	return child > 0 && waitpid((pid_t)child, &status, 0) == child && WIFEXITED(status) && !WEXITSTATUS(status);
}

static void try_execution(void)
{
	char *arguments[] = { "true", NULL };
	long page = sysconf(_SC_PAGESIZE), child;
	void *memory = mmap(NULL, (size_t)page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int err;

	report("code_by_mprotect", mprotect(memory, (size_t)page, PROT_READ | PROT_EXEC));
	report("code_by_mmap", mmap(NULL, (size_t)page, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
				    -1, 0) == MAP_FAILED ? -1 : 0);
	child = syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, 0);
	if (child < 0) {
		report("fork", -1);
		/* Without a child process, this process itself executes. */
		execve("/bin/true", arguments, NULL);
		report("exec", -1);
		execve("/proc/self/exe", arguments, NULL);
		report("exec_of_itself", -1);
		return;
	}
	if (!child)
		execve("/bin/true", arguments, NULL);
	err = child_succeeds(child) ? 0 : -1;
	errno = EPERM;
	report("fork", 0);
	report("exec", err);
}

void takeover(void)
{
	const char *path = getenv("TAKEOVER_REPORT");

	/* Runs once, at the first file that is read after the process has entered its sandbox, or would have. */
	if (report_fd >= 0 || !path)
		return;
	report_fd = atoi(path);
	victim = atoi(getenv("TAKEOVER_VICTIM"));
	snprintf(inside, sizeof(inside), "%s", getenv("TAKEOVER_DIRECTORY"));
	signal(SIGUSR1, SIG_IGN);
	try_signals();
	try_network();
	try_kernel();
	try_execution();
	try_files();
	report("end", 0);
}
