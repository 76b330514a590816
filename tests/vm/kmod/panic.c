// SPDX-License-Identifier: GPL-2.0-only
/*
 * A panic while samples of all kinds fire: from timers, from NMIs during filters, and from a source that fires in the
 * panic itself. run/panic.sh checks the console on the host, because the guest no longer runs.
 *
 * vm: machines=none
 */
#include "ktap.h"
#include "device.h"
#include "filter.h"
#include "source.h"

static const struct bpf_insn done[] = { ANSWER(TPROF_DONE) };

static void sample(const char *source, uint64_t period)
{
	int session = create_session(open_device());

	need(session >= 0, "a session is made");
	if (source)
		need(add_source(session, source, NULL, period) == 0, "with samples of %s", source);
	else
		need(add_timer(session, period) == 0, "with the timer");
	need(attach_filter(session, "done", 0, done, 2) >= 0, "and a filter");
	need(ioctl(session, TPROF_IOC_START) == 0, "it starts");
}

int main(void)
{
	need(load_source("tprof_nmi", "") == 0, "there are NMIs");
	need(load_source("tprof_panic", "") == 0, "and a source that fires in a panic");
	sample(NULL, 100 * 1000);
	sample("nmi", MS);
	sample("panic", MS);
	usleep(100 * 1000);
	write_parameter("tprof_panic", "panic", 1);
	need(false, "the kernel panics");
	return 1;
}
