// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * Builds the seccomp filter without libseccomp, which crashes or hangs when memory is exhausted; this code allocates no
 * memory. System calls that are allowed whatever their arguments cost nothing: the kernel caches the result for them.
 */
#include "sandbox_calls.h"

#include <asm/termbits.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/array.h"
#include "uapi/tprof_device.h"

#if defined(__x86_64__)
#define OUR_ARCH AUDIT_ARCH_X86_64
#define OTHER_CALLS 0x40000000		/* x32 calls have the same architecture value */
#elif defined(__aarch64__)
#define OUR_ARCH AUDIT_ARCH_AARCH64
#endif

/* Any of these flags opens a file for writing or creates one. */
#define OPEN_TO_WRITE (O_ACCMODE | O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY))

/* Calls that affect only this process and its open files. */
static const int own_calls[] = {
	SYS_brk, SYS_clock_getres, SYS_clock_gettime, SYS_clock_nanosleep, SYS_close, SYS_dup, SYS_epoll_create1,
	SYS_epoll_ctl, SYS_epoll_pwait, SYS_epoll_pwait2, SYS_eventfd2, SYS_exit, SYS_exit_group, SYS_faccessat,
	SYS_faccessat2, SYS_fdatasync, SYS_fstat, SYS_fstatfs, SYS_fsync, SYS_ftruncate, SYS_futex, SYS_futex_waitv,
	SYS_getcpu, SYS_getcwd, SYS_getdents64, SYS_getegid, SYS_geteuid, SYS_getgid, SYS_getpgid, SYS_getpid,
	SYS_getppid, SYS_getpriority, SYS_getrandom, SYS_getrlimit, SYS_getrusage, SYS_getsid, SYS_gettid,
	SYS_gettimeofday, SYS_getuid, SYS_lseek, SYS_madvise, SYS_memfd_create, SYS_mremap, SYS_munmap,
	SYS_nanosleep, SYS_newfstatat, SYS_pidfd_open, SYS_pipe2, SYS_ppoll, SYS_pread64, SYS_preadv, SYS_pselect6,
	SYS_pwrite64, SYS_pwritev, SYS_read, SYS_readlinkat, SYS_readv, SYS_restart_syscall, SYS_rseq,
	SYS_rt_sigaction, SYS_rt_sigpending, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_rt_sigsuspend,
	SYS_rt_sigtimedwait, SYS_sched_getaffinity, SYS_sched_yield, SYS_set_robust_list, SYS_set_tid_address,
	SYS_sigaltstack, SYS_signalfd4, SYS_statfs, SYS_statx, SYS_sysinfo, SYS_timerfd_create, SYS_timerfd_gettime,
	SYS_timerfd_settime, SYS_times, SYS_uname, SYS_wait4, SYS_waitid, SYS_write, SYS_writev,
#ifdef SYS_open
	SYS_access, SYS_epoll_wait, SYS_getpgrp, SYS_lstat, SYS_poll, SYS_readlink, SYS_select, SYS_stat, SYS_time,
#endif
};

/*
 * For processes that may write below some directory. Landlock does not control owners, modes and times, so those calls
 * are not here.
 */
static const int file_calls[] = {
	SYS_fallocate, SYS_mkdirat, SYS_openat, SYS_renameat, SYS_renameat2, SYS_umask, SYS_unlinkat,
#ifdef SYS_open
	SYS_creat, SYS_mkdir, SYS_open, SYS_rename, SYS_rmdir, SYS_unlink,
#endif
};

static const int network_calls[] = {
	SYS_bind, SYS_connect, SYS_getpeername, SYS_getsockname, SYS_getsockopt, SYS_mmap, SYS_mprotect,
	SYS_recvfrom, SYS_recvmmsg, SYS_recvmsg, SYS_sendmmsg, SYS_sendmsg, SYS_sendto, SYS_setsockopt, SYS_shutdown,
#ifdef SYS_open
	SYS_pipe,
#endif
};

/*
 * Commands that read and clear maps, also with a BPF program for that purpose, and that query objects; and one that
 * replaces a loaded filter by another one (engine kmod). It changes links of this process only.
 */
static const uint32_t bpf_commands[] = {
	BPF_MAP_LOOKUP_ELEM, BPF_MAP_UPDATE_ELEM, BPF_MAP_DELETE_ELEM, BPF_MAP_GET_NEXT_KEY,
	BPF_MAP_LOOKUP_AND_DELETE_ELEM, BPF_MAP_LOOKUP_BATCH, BPF_MAP_LOOKUP_AND_DELETE_BATCH, BPF_MAP_UPDATE_BATCH,
	BPF_MAP_DELETE_BATCH, BPF_OBJ_GET_INFO_BY_FD, BPF_PROG_TEST_RUN, BPF_LINK_UPDATE,
	BPF_LINK_CREATE,		/* last: only for some */
};

/* Excludes ioctls that insert terminal input (TIOCSTI), attach a BPF program, or open an event. */
static const uint32_t ioctls[] = {
	TCGETS, TCSETS, TCSETSW, TCSETSF, TCGETS2, TCSETS2, TCSETSW2, TCSETSF2, TCXONC, TIOCGWINSZ, TIOCGPGRP,
	FIONREAD, FS_IOC_GETVERSION,
	PERF_EVENT_IOC_ENABLE, PERF_EVENT_IOC_DISABLE, PERF_EVENT_IOC_PERIOD,
	TPROF_IOC_INFO, TPROF_IOC_SOURCE, TPROF_IOC_PERIOD, TPROF_IOC_ATTACH, TPROF_IOC_DETACH, TPROF_IOC_START,
	TPROF_IOC_STOP, TPROF_IOC_FLUSH, TPROF_IOC_CLEAR, TPROF_IOC_LEDGER, TPROF_IOC_COUNTS, TPROF_IOC_SESSION,
	TPROF_IOC_FILTER, TPROF_IOC_FILTER_ENABLE, TPROF_IOC_SEAL,
};

/* Excludes commands that make a file descriptor send signals. */
static const uint32_t descriptor_commands[] = {
	F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL, F_GETPIPE_SZ, F_SETPIPE_SZ, F_ADD_SEALS,
	F_GET_SEALS,
};

/* Longer than any of these filters. */
#define MAX_INSTRUCTIONS 1024

struct rules {
	struct sock_filter code[MAX_INSTRUCTIONS];
	unsigned short nr;
};

#define LOAD(member) ((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member)))
#define RETURN(action) ((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action))
#define SKIP_UNLESS(value, nr) ((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, nr))
#define REFUSED (SECCOMP_RET_ERRNO | EPERM)

/* Counts instructions beyond the limit without storing them; end() checks for that. */
static void add(struct rules *rules, struct sock_filter instruction)
{
	if (rules->nr < MAX_INSTRUCTIONS)
		rules->code[rules->nr] = instruction;
	rules->nr++;
}

static void answer(struct rules *rules, long call, uint32_t action)
{
	add(rules, SKIP_UNLESS((uint32_t)call, 1));
	add(rules, RETURN(action));
}

static void allow(struct rules *rules, long call)
{
	answer(rules, call, SECCOMP_RET_ALLOW);
}

static void allow_all(struct rules *rules, const int *calls, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		allow(rules, calls[i]);
}

/* Loads the lower 32 bits of an argument. */
static struct sock_filter load_argument(unsigned int argument)
{
	const uint32_t low = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? sizeof(uint32_t) : 0;

	return (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
					    offsetof(struct seccomp_data, args) + argument * sizeof(uint64_t) + low);
}

/*
 * Allows the call if the lower 32 bits of an argument, masked, equal one of the values. None of these arguments uses
 * its upper 32 bits.
 */
static void allow_if(struct rules *rules, long call, unsigned int argument, uint32_t mask, const uint32_t *values,
		     size_t nr)
{
	add(rules, SKIP_UNLESS((uint32_t)call, (uint8_t)(3 + 2 * nr)));
	add(rules, load_argument(argument));
	add(rules, (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, mask));
	for (size_t i = 0; i < nr; i++)
		answer(rules, values[i], SECCOMP_RET_ALLOW);
	add(rules, RETURN(REFUSED));
}

/* Allows the call if the argument has none of the bits. */
static void allow_without(struct rules *rules, long call, unsigned int argument, uint32_t bits)
{
	const uint32_t none = 0;

	allow_if(rules, call, argument, bits, &none, 1);
}

static void allow_with(struct rules *rules, long call, unsigned int argument, uint32_t value)
{
	allow_if(rules, call, argument, UINT32_MAX, &value, 1);
}

static void allow_reading(struct rules *rules)
{
#ifdef SYS_open
	allow_without(rules, SYS_open, 1, OPEN_TO_WRITE);
#endif
	allow_without(rules, SYS_openat, 2, OPEN_TO_WRITE);
}

/* Allows new threads, which have no more permissions than this one, but no new processes, which could outlive it. */
static void allow_threads(struct rules *rules)
{
	const uint32_t thread = CLONE_THREAD;

	allow_if(rules, SYS_clone, 0, CLONE_THREAD, &thread, 1);
	/* The flags of clone3() are in memory. On ENOSYS the C library falls back to clone(). */
	answer(rules, SYS_clone3, SECCOMP_RET_ERRNO | ENOSYS);
}

/*
 * Sanitizers inspect the threads of their process from another process, and remap memory. These rules come first, as
 * the first match decides.
 */
static void allow_sanitizers(struct rules *rules)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	static const int calls[] = {
		SYS_clone, SYS_mmap, SYS_mprotect, SYS_prctl, SYS_ptrace, SYS_tgkill, SYS_tkill, SYS_prlimit64,
		SYS_personality, SYS_munmap, SYS_futex, SYS_sigaltstack, SYS_rt_sigaction, SYS_rt_sigprocmask,
		SYS_madvise, SYS_sched_yield, SYS_getpid, SYS_gettid, SYS_write, SYS_read, SYS_readlinkat,
		SYS_fstat, SYS_newfstatat,
#ifdef SYS_open
		SYS_getdents, SYS_readlink, SYS_open,
#endif
	};

	allow_all(rules, calls, ARRAY_SIZE(calls));
#else
	(void)rules;
#endif
}

static void allow_talking(struct rules *rules, int fd)
{
	static const int calls[] = { SYS_sendto, SYS_recvfrom, SYS_sendmsg, SYS_recvmsg };

	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		allow_with(rules, calls[i], 0, (uint32_t)fd);
}

static void allow_signals(struct rules *rules, const struct sandbox_calls *calls)
{
	/* kill() of the process itself: a view stops itself on Ctrl-Z. */
	const uint32_t processes[] = { (uint32_t)getpid(), (uint32_t)calls->command };

	allow_if(rules, SYS_kill, 0, UINT32_MAX, processes, calls->command ? 2 : 1);
	allow_with(rules, SYS_tgkill, 0, processes[0]);
}

/* Allows priority changes of this thread only: not of other processes, process groups or users. */
static void allow_own_priority(struct rules *rules)
{
	add(rules, SKIP_UNLESS(SYS_setpriority, 6));
	add(rules, load_argument(0));
	add(rules, SKIP_UNLESS(PRIO_PROCESS, 3));
	add(rules, load_argument(1));
	add(rules, SKIP_UNLESS(0, 1));
	add(rules, RETURN(SECCOMP_RET_ALLOW));
	add(rules, RETURN(REFUSED));
}

/* With O_ASYNC on a terminal, the kernel would signal other users of that terminal. */
static void allow_descriptors(struct rules *rules)
{
	const size_t nr = ARRAY_SIZE(descriptor_commands);

	add(rules, SKIP_UNLESS(SYS_fcntl, 7 + 2 * nr));
	add(rules, load_argument(1));
	for (size_t i = 0; i < nr; i++)
		answer(rules, descriptor_commands[i], SECCOMP_RET_ALLOW);
	add(rules, SKIP_UNLESS(F_SETFL, 4));
	add(rules, load_argument(2));
	add(rules, (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, O_ASYNC));
	add(rules, SKIP_UNLESS(0, 1));
	add(rules, RETURN(SECCOMP_RET_ALLOW));
	add(rules, RETURN(REFUSED));
}

/*
 * Allows sockets to other machines. AF_UNIX is excluded: services that listen on local paths act with root privileges.
 */
static void allow_sockets(struct rules *rules)
{
	static const uint32_t domains[] = { AF_INET, AF_INET6, AF_NETLINK };
	const uint32_t stream = SOCK_STREAM;

	allow_if(rules, SYS_socket, 0, UINT32_MAX, domains, ARRAY_SIZE(domains));
	/* An unnamed pair, which cannot be connected to anything else. */
	allow_if(rules, SYS_socketpair, 1, ~(uint32_t)(SOCK_CLOEXEC | SOCK_NONBLOCK), &stream, 1);
	allow_all(rules, network_calls, ARRAY_SIZE(network_calls));
}

/* Calls with checked arguments, the most frequent ones first. */
static void allow_parts(struct rules *rules, const struct sandbox_calls *calls)
{
	if (!calls->network) {
		allow_without(rules, SYS_mmap, 2, PROT_EXEC);
		allow_without(rules, SYS_mprotect, 2, PROT_EXEC);
		allow_talking(rules, calls->broker_fd);
	}
	if (!calls->writes)
		allow_reading(rules);
	allow_if(rules, SYS_bpf, 0, UINT32_MAX, bpf_commands, ARRAY_SIZE(bpf_commands) - !calls->attaches);
	allow_if(rules, SYS_ioctl, 1, UINT32_MAX, ioctls, ARRAY_SIZE(ioctls));
	allow_descriptors(rules);
	allow_own_priority(rules);
	allow_signals(rules, calls);
	allow_threads(rules);
}

static void allow_calls(struct rules *rules, const struct sandbox_calls *calls)
{
	allow_sanitizers(rules);
	allow_parts(rules, calls);
	allow_all(rules, own_calls, ARRAY_SIZE(own_calls));
	if (calls->writes)
		allow_all(rules, file_calls, ARRAY_SIZE(file_calls));
	if (calls->opens_as_told)
		allow(rules, SYS_openat2);
	if (calls->network)
		allow_sockets(rules);
}

static void allow_broker(struct rules *rules, int fd)
{
	static const int calls[] = {
		SYS_brk, SYS_close, SYS_exit_group, SYS_fstat, SYS_getdents64, SYS_lseek, SYS_munmap, SYS_newfstatat,
		SYS_openat2, SYS_perf_event_open, SYS_renameat, SYS_renameat2, SYS_restart_syscall,
		SYS_rt_sigreturn, SYS_unlinkat,
#ifdef SYS_open
		SYS_rename, SYS_rmdir, SYS_unlink,
#endif
	};

	allow_sanitizers(rules);
	allow_talking(rules, fd);
	allow_reading(rules);
	allow_with(rules, SYS_fcntl, 1, F_GETFL);
	allow_without(rules, SYS_mmap, 2, PROT_EXEC);
	allow_all(rules, calls, ARRAY_SIZE(calls));
}

/* Other architectures number their system calls differently. */
static int begin(struct rules *rules)
{
	rules->nr = 0;
#ifdef OUR_ARCH
	add(rules, LOAD(arch));
	add(rules, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OUR_ARCH, 1, 0));
	add(rules, RETURN(REFUSED));
	add(rules, LOAD(nr));
#ifdef OTHER_CALLS
	add(rules, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, OTHER_CALLS, 0, 1));
	add(rules, RETURN(REFUSED));
#endif
	return 0;
#else
	return -EOPNOTSUPP;
#endif
}

static int end(struct rules *rules)
{
	struct sock_fprog program;

	add(rules, RETURN(REFUSED));
	if (rules->nr > MAX_INSTRUCTIONS)
		return -E2BIG;
	program = (struct sock_fprog){ rules->nr, rules->code };
	if (!prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0))
		return 0;
	return errno == EINVAL || errno == ENOSYS ? -EOPNOTSUPP : -errno;
}

int sandbox_limit_calls(const struct sandbox_calls *calls)
{
	struct rules rules;

	if (begin(&rules))
		return -EOPNOTSUPP;
	allow_calls(&rules, calls);
	return end(&rules);
}

int sandbox_limit_broker(int fd)
{
	struct rules rules;

	if (begin(&rules))
		return -EOPNOTSUPP;
	allow_broker(&rules, fd);
	return end(&rules);
}
