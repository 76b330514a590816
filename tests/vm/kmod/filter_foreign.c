// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attaching a filter needs the descriptor of the session in the attaching process: other processes cannot attach with
 * any number; a process that receives the descriptor over a socket can. Loading a filter needs the capabilities for
 * BPF.
 *
 * vm: all=arm64
 */
#include "ktap.h"
#include "device.h"
#include "filter.h"
#include "filter_link.h"
#include "process.h"
#include "socket.h"

static const struct bpf_insn done[] = { ANSWER(TPROF_DONE) };
static int device, session, map;
static int sockets[2];

/* The number now belongs to this file, not to the session that had it when the filter was made. */
static void not_a_session(int fd, const char *what)
{
	int other = make_filter(fd, "foreign", 0, done, 2);

	need(other >= 0, "a filter is made");
	refuses(link_filter(other), EBADF, "%s is no session", what);
	close(other);
	close(fd);
}

static void numbers(void)
{
	int link, own = create_session(device);
	int stale = make_filter(own, "stale", 0, done, 2);

	need(own >= 0 && stale >= 0, "a filter for a session");
	not_a_session(open("/dev/null", O_RDWR | O_CLOEXEC), "/dev/null");
	not_a_session(open_device(), TPROF_DEVICE);
	not_a_session(open("/proc/self/fdinfo/0", O_RDONLY | O_CLOEXEC), "a file of proc");
	close(own);
	refuses(link_filter(stale), EBADF, "nor is a number without a file");
	need(dup2(device, own) == own, "the number becomes that of another file");
	refuses(link_filter(stale), EBADF, "nor is that");
	need(dup2(session, own) == own, "and then of another session");
	link = link_filter(stale);
	check(link >= 0, "which is what counts");
	is(read_session(session).nr_filters, 1, "it is attached there");
	close(link);
	close(own);
	close(stale);
	is(read_session(session).nr_filters, 0, "and detached");
}

/* These functions run in child processes, and return 0 or the number of an error. */

static int without_it(void)
{
	close(session);
	return link_filter(map) != -1 || errno != EBADF;
}

static int with_it(void)
{
	struct tprof_session_info info = { .size = sizeof(info) };

	if (link_filter(map) < 0)
		return 1;
	return ioctl(session, TPROF_IOC_SESSION, &info) || info.nr_filters != 1 ? 2 : 0;
}

/* Attaches a filter to the received descriptor, which has another number here. */
static int by_socket(void)
{
	int got, own;

	close(session);
	got = receive_fd(sockets[0], 0);
	if (got < 0)
		return 1;
	if (fcntl(got, F_DUPFD_CLOEXEC, 100) != 100)
		return 2;
	close(got);
	own = make_filter(100, "given", 0, done, 2);
	return own >= 0 && link_filter(own) >= 0 ? 0 : 3;
}

static void processes(void)
{
	need(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) == 0, "sockets");
	is(in_child(with_it), 0, "a process that inherited the descriptor attaches");
	is(read_session(session).nr_filters, 0, "until it ends");
	is(in_child(without_it), 0, "one that has closed it does not");
	need(send_fd(sockets[1], session) == 0, "the descriptor is sent");
	is(in_child(by_socket), 0, "one that gets it over a socket does");
	is(read_session(session).nr_filters, 0, "until it ends");
	close(sockets[0]);
	close(sockets[1]);
}

static struct filter_btf btf;

static int loads(void)
{
	const struct bpf_insn *insns = done;
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_STRUCT_OPS, .insn_cnt = 2, .insns = (uintptr_t)insns,
		.license = (uintptr_t)"GPL", .attach_btf_id = btf.ops_id, .attach_btf_obj_fd = (uint32_t)btf.fd,
	};

	return filter_bpf(BPF_PROG_LOAD, &attr, sizeof(attr)) >= 0 ? 0 : errno;
}

static int load_as_nobody(void)
{
	become_nobody(0);
	return loads();
}

static int load_with_perfmon(void)
{
	become_nobody(1ULL << CAP_PERFMON);
	return loads();
}

static int load_with_bpf(void)
{
	become_nobody(1ULL << CAP_PERFMON | 1ULL << CAP_BPF);
	return loads();
}

static void rights(void)
{
	btf = filter_find_types();
	is(in_child(load_as_nobody), EPERM, "nobody cannot load a filter");
	is(in_child(load_with_perfmon), EPERM, "nor with CAP_PERFMON alone");
	is(in_child(load_with_bpf), 0, "but with CAP_BPF and CAP_PERFMON");
	close(btf.fd);
}

int main(void)
{
	device = open_device();
	session = create_session(device);
	need(session >= 0, "a session is made");
	map = make_filter(session, "filter", 0, done, 2);
	need(map >= 0, "a filter is made");
	numbers();
	processes();
	rights();
	close(map);
	close(session);
	return done_testing();
}
