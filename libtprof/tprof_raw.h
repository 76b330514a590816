/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Raw recordings: every sample by itself, in a file that is written while a session runs. A part of tprof.h, which
 * brings it along and has the rules. docs/raw.md describes the file.
 *
 *	tprof_session__add_filter(session, tprof_filter__open("raw", &error));
 *	tprof_session__raw_begin(session, fd);
 *	tprof_session__start(session);
 *	tprof_session__wait(session, 10000);
 *	tprof_session__stop(session);
 *	tprof_session__raw_end(session, NULL);
 */
#ifndef TPROF_TPROF_RAW_H
#define TPROF_TPROF_RAW_H

#include "tprof.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct tprof_raw_sum - how much a raw recording has
 * @sz:       set by the caller to sizeof(struct tprof_raw_sum)
 * @samples:  number of samples
 * @weight:   what they stand for, in units of the event
 * @bytes:    of the file, as far as it was written or read
 * @until_ns: CLOCK_MONOTONIC, nanoseconds: when the last reading of the tables began, or sampling ended; what was
 *            sampled until then is in the file
 * @complete: it has an end
 */
struct tprof_raw_sum {
	size_t sz;
	uint64_t samples;
	uint64_t weight;
	uint64_t bytes;
	uint64_t until_ns;
	bool complete;
};

/**
 * tprof_session__raw_begin() - let a session write each of its samples to a file
 * @session: not started, with one filter, which has one counting table, with a tprof_ns_t in its key: "raw"
 * @fd:      open for writing until tprof_session__raw_end() or tprof_session__close(); stays the caller's. Written at
 *           its position, in order, so a pipe will do
 *
 * Samples are written whenever the tables are read: at least once a second, if the client dispatches. They go to the
 * file and not to snapshots, which have the ledger alone. What was written can be read, whatever becomes of the
 * process.
 *
 * If writing fails, the call at hand (dispatch, wait, snapshot) does with the error of write(2), once; no more
 * is written then, the session goes on, and its ledger closes.
 *
 * Memory: 16 MiB for what was defined in the file, and the samples of one reading, 40 bytes each.
 *
 * Errors: EBUSY (started, or it writes already), EINVAL (the filter does not keep samples apart), ENOMEM.
 */
TPROF_API int tprof_session__raw_begin(struct tprof_session *session, int fd);

/**
 * tprof_session__raw_end() - write what is left, and that nothing is missing
 * @session: stopped
 * @sum:     NULL, or filled, on failure too
 *
 * A recording without this is one that was cut short. Errors: EINVAL (it writes none), EBUSY (still running), those of
 * write(2), now or before.
 */
TPROF_API int tprof_session__raw_end(struct tprof_session *session, struct tprof_raw_sum *sum);

/**
 * struct tprof_raw_info - what a raw recording says of itself
 * @info:     what the session did
 * @start_ns: CLOCK_MONOTONIC, nanoseconds: when sampling began
 * @start_real_ns: the same of CLOCK_REALTIME, nanoseconds since 1970
 * @kernel:   release of the kernel, as uname -r says it
 * @machine:  as uname -m says it
 * @version:  of the library that wrote it
 */
struct tprof_raw_info {
	struct tprof_info info;
	uint64_t start_ns;
	uint64_t start_real_ns;
	const char *kernel;
	const char *machine;
	const char *version;
};

/**
 * struct tprof_raw_sample - a sample of a raw recording
 * @time_ns:  CLOCK_MONOTONIC, nanoseconds; those of one CPU ascend
 * @samples:  how many: 1, unless a CPU took several within a nanosecond
 * @weight:   what they stand for, in units of the event
 * @comm:     name of the process
 * @thread:   name of the thread
 * @cgroup:   path below the cgroup root
 * @pid:      process id in the initial pid namespace; -1 if the filter does not say
 * @tid:      thread id, likewise
 * @cpu:      CPU; -1 if the filter does not say
 * @flags:    TPROF_SAMPLE_*
 * @frames:   from the leaf to the root, as in struct tprof_call_stack
 * @nr_frames: at least 1
 *
 * Names are "" if the filter does not say. Control characters in them are replaced by question marks.
 */
struct tprof_raw_sample {
	uint64_t time_ns;
	uint64_t samples;
	uint64_t weight;
	const char *comm;
	const char *thread;
	const char *cgroup;
	pid_t pid;
	pid_t tid;
	int cpu;
	uint32_t flags;
	const struct tprof_frame *const *frames;
	size_t nr_frames;
};

/**
 * typedef tprof_raw_fn - receives the samples of a raw recording
 * @ctx:    as passed with the callback
 * @info:   the same at each call
 * @sample: valid during the call only, with all that it points to
 *
 * A return value other than 0 ends the reading and is returned.
 */
typedef int (*tprof_raw_fn)(void *ctx, const struct tprof_raw_info *info, const struct tprof_raw_sample *sample);

/** enum tprof_owner - whose the samples of a profile are */
enum tprof_owner {
	TPROF_OWNER_PROCESS,
	TPROF_OWNER_THREAD,	/* @comm and @pid of entries and call stacks are the thread's name and id */
	TPROF_OWNER_CPU,	/* @comm is "CPU 3"; @pid is -1, and @cgroup "" */
};

/**
 * struct tprof_read_opts - which part of a raw recording to read, and who hears of what is wrong with it
 * @sz:      size of this struct
 * @from_ns: only samples from this time on, nanoseconds since sampling began
 * @to_ns:   and before this; 0: to the end
 * @log:     warned if the recording was cut short or is damaged; NULL: nobody
 * @log_ctx: passed to @log
 * @owner:   what profiles tell apart, and name in the place of processes
 * @value:   of a pprof file of another program, the name of the value that becomes the weight; NULL: the one that the
 *           file names as the default, or else the last. "-NAME" is what of it is below 0
 */
struct tprof_read_opts {
	size_t sz;
	uint64_t from_ns;
	uint64_t to_ns;
	tprof_log_fn log;
	void *log_ctx;
	enum tprof_owner owner;
	const char *value;
};

/**
 * tprof_raw__each() - the samples of a raw recording, one after the other
 * @fd:    read to its end, or until @fn says so, and left open
 * @name:  of the file, for sentences
 * @opts:  NULL for all
 * @fn:    called for each
 * @ctx:   passed to @fn
 * @sum:   NULL, or filled, with what was read of the file, whether or not @fn got it
 * @error: NULL, or filled on failure
 *
 * Samples come as they were written: those that were read together sorted by time, and those of one CPU always.
 *
 * A recording that was cut short, or is damaged, is read up to there: the log is told how far that is, @sum is not
 * complete, and it is no error. Nothing of a file is believed: numbers are looked up before they are used, checksums
 * compared, and what definitions take at one time is bounded to 256 MiB.
 *
 * Errors: EBADMSG (empty, no raw recording, or damaged before the first sample could be), EPROTONOSUPPORT (of a later
 * version), EFBIG (out of bounds), ENOMEM, those of read(2), and what @fn returned.
 */
TPROF_API int tprof_raw__each(int fd, const char *name, const struct tprof_read_opts *opts, tprof_raw_fn fn, void *ctx,
			      struct tprof_raw_sum *sum, struct tprof_error *error);

/**
 * tprof_profile__read_part() - tprof_profile__read() of a part of a raw recording
 * @fd:    read to its end, and left open
 * @name:  of the file, for sentences
 * @opts:  NULL for all
 * @error: NULL, or filled on failure
 *
 * The ledger is that of the whole recording: samples of other times are accounted as out_of_scope, and what was counted
 * but is not in a recording that was cut short, as @not_in_file. So what is in the profile is what was aggregated.
 *
 * Errors: those of tprof_profile__read(), and EINVAL (a part or another owner than the process is asked for, and it is
 * no raw recording; the file has no such value; or the part ends before it begins, or begins behind the end of the
 * recording).
 */
TPROF_API struct tprof_profile *tprof_profile__read_part(int fd, const char *name, const struct tprof_read_opts *opts,
							 struct tprof_error *error);

#ifdef __cplusplus
}
#endif

#endif /* TPROF_TPROF_RAW_H */
