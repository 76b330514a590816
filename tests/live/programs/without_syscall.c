// SPDX-License-Identifier: GPL-2.0-only
/*
 * without_syscall CALL ERROR COMMAND...: runs the command with a seccomp filter that fails one system call with an
 * error, as a kernel built without it (ENOSYS) or the seccomp filter of a container (mostly EPERM) does.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#else
#error "tprof supports only x86-64 and arm64"
#endif

struct number {
	const char *name;
	uint32_t value;
};

static const struct number calls[] = {
	{ "bpf", SYS_bpf },
	{ "perf_event_open", SYS_perf_event_open },
};

static const struct number errors[] = {
	{ "ENOSYS", ENOSYS },
	{ "EPERM", EPERM },
	{ "EACCES", EACCES },
};

static const struct number *find(const struct number *table, size_t nr, const char *name)
{
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(table[i].name, name))
			return &table[i];
	return NULL;
}

#define FIND(table, name) find(table, sizeof(table) / sizeof((table)[0]), name)

/* The architecture and the number of the call are loaded as 32-bit words; jumps count instructions to skip. */
static int refuse(uint32_t call, uint32_t error)
{
	struct sock_filter insns[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = sizeof(insns) / sizeof(insns[0]), .filter = insns };

	/* Without this the filter would need CAP_SYS_ADMIN, which the user nobody does not have. */
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

int main(int argc, char **argv)
{
	const struct number *call = argc > 3 ? FIND(calls, argv[1]) : NULL;
	const struct number *error = argc > 3 ? FIND(errors, argv[2]) : NULL;

	if (!call || !error) {
		fputs("usage: without_syscall bpf|perf_event_open ENOSYS|EPERM|EACCES COMMAND...\n", stderr);
		return 125;
	}
	if (refuse(call->value, error->value)) {
		perror("without_syscall: seccomp");
		return 125;
	}
	execvp(argv[3], argv + 3);
	perror(argv[3]);
	return 127;
}
