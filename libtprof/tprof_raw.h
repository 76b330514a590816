/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Raw recordings: files that contain every sample, written while a session runs. Included by tprof.h, which has the
 * rules for all functions. docs/raw.md describes the file format.
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
 * struct tprof_raw_sum - totals of a raw recording
 * @sz:       set by the caller to sizeof(struct tprof_raw_sum)
 * @samples:  number of samples in the file
 * @weight:   weight of the samples, in units of their events
 * @bytes:    bytes of the file that were written, or read
 * @until_ns: CLOCK_MONOTONIC, nanoseconds: when the last reading of the tables began, or sampling ended. The file
 *            contains all samples up to this time
 * @complete: the recording was finished with tprof_session__raw_end(), and is not damaged
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
 * tprof_session__raw_begin() - write each sample of a session to a file
 * @session: not prepared or started, with one filter that has one counting table with a tprof_ns_t in its key, such as
 *           the filter "raw"; with several events, also a tprof_event_t
 * @fd:      open for writing until tprof_session__raw_end() or tprof_session__close(); the caller closes it. Data is
 *           written sequentially from the current position, so a pipe can be used
 *
 * Samples are written whenever the tables are read: at least once a second, provided that the client calls
 * tprof_session__dispatch(). They are not in snapshots, which contain only the ledger. If the process is killed,
 * everything written before stays readable.
 *
 * tprof_session__start() writes the header, so the file can be read from then on; it fails if that cannot be written.
 * If writing fails later, the current call (dispatch, wait or snapshot) fails once, with the error of write(2), as with
 * EPIPE from the start. After that, nothing is written; the session continues, and its ledger closes.
 *
 * Memory: 16 MiB for definitions in the file, and 40 bytes for each sample between two readings.
 *
 * Errors: EBUSY (prepared or started, or called before), EINVAL (not exactly one filter, or the filter does not keep
 * samples separate), ENOMEM.
 */
TPROF_API int tprof_session__raw_begin(struct tprof_session *session, int fd);

/**
 * tprof_session__raw_end() - write the remaining samples and the end mark
 * @session: stopped
 * @sum:     NULL, or filled, on failure too
 *
 * A recording without an end mark is reported as cut short when it is read.
 *
 * Errors: EINVAL (tprof_session__raw_begin() was not called), EBUSY (not stopped), ENOMEM, those of write(2) in this
 * call or before.
 */
TPROF_API int tprof_session__raw_end(struct tprof_session *session, struct tprof_raw_sum *sum);

/**
 * struct tprof_raw_info - description of a raw recording
 * @info:     what the session used
 * @start_ns: when sampling began: CLOCK_MONOTONIC, nanoseconds
 * @start_real_ns: when sampling began: CLOCK_REALTIME, nanoseconds since 1970
 * @kernel:   release of the kernel, as in uname -r
 * @machine:  architecture, as in uname -m
 * @version:  version of the library that wrote the recording
 * @events:   the events; the first is that of @info
 * @nr_events: number of elements in @events, at least 1
 */
struct tprof_raw_info {
	struct tprof_info info;
	uint64_t start_ns;
	uint64_t start_real_ns;
	const char *kernel;
	const char *machine;
	const char *version;
	const struct tprof_event_info *events;
	size_t nr_events;
};

/**
 * struct tprof_raw_sample - a sample of a raw recording
 * @time_ns:  CLOCK_MONOTONIC, nanoseconds; ascending for each CPU
 * @samples:  number of samples: 1, unless a CPU took several within one nanosecond
 * @weight:   weight of the samples, in units of the event
 * @comm:     name of the process
 * @thread:   name of the thread
 * @cgroup:   path below the cgroup root
 * @pid:      process id in the initial pid namespace; -1 if the filter does not record it
 * @tid:      thread id in the initial pid namespace; -1 if the filter does not record it
 * @cpu:      CPU; -1 if the filter does not record it
 * @flags:    TPROF_SAMPLE_*
 * @frames:   from the leaf to the root, as in struct tprof_call_stack
 * @nr_frames: at least 1
 * @event:    index into @events of struct tprof_raw_info
 *
 * Names that the filter does not record are "". Control characters in names are replaced by question marks.
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
	size_t event;
};

/**
 * typedef tprof_raw_fn - receives the samples of a raw recording
 * @ctx:    as passed with the callback
 * @info:   the same in each call
 * @sample: valid during the call only, with everything that it points to
 *
 * A return value other than 0 ends the reading and is returned.
 */
typedef int (*tprof_raw_fn)(void *ctx, const struct tprof_raw_info *info, const struct tprof_raw_sample *sample);

/** enum tprof_note - what a note of a raw recording says */
enum tprof_note {
	TPROF_NOTE_MARK,	/* @text of tprof_session__mark() */
	TPROF_NOTE_ADDED,	/* a target: at the start, or added later */
	TPROF_NOTE_REMOVED,	/* a target */
	TPROF_NOTE_PAUSED,	/* the session was paused or stopped: no samples follow ... */
	TPROF_NOTE_RESUMED,	/* ... before this */
	TPROF_NOTE_PERIOD,	/* the client changed the rate or period of the event @text: @id is the new period */
	TPROF_NR_NOTES
};

/** enum tprof_target_kind - what a target is */
enum tprof_target_kind {
	TPROF_TARGET_KIND_PROCESS,	/* with its descendants; @text is its name */
	TPROF_TARGET_KIND_THREAD,	/* @text is its name */
	TPROF_TARGET_KIND_CGROUP,	/* with its subtree; @text is its path below the root */
	TPROF_NR_TARGET_KINDS
};

/**
 * struct tprof_raw_note - a mark of the client, or a change of the session, in a raw recording
 * @time_ns: CLOCK_MONOTONIC, nanoseconds
 * @kind:    what happened
 * @target:  with TPROF_NOTE_ADDED and TPROF_NOTE_REMOVED: the kind of the target
 * @id:      of the target: process, thread or cgroup; or the period
 * @text:    "" if there is none; valid during the call only. Control characters are replaced by question marks
 */
struct tprof_raw_note {
	uint64_t time_ns;
	enum tprof_note kind;
	enum tprof_target_kind target;
	uint64_t id;
	const char *text;
};

#define TPROF_MARK_BYTES_MAX 1000

/**
 * tprof_session__mark() - write a mark with the current time to the raw recording of a session
 * @session: started or stopped, with a raw recording that has not ended
 * @text:    1 to TPROF_MARK_BYTES_MAX bytes
 *
 * Recordings also have a note for each target that is added and removed, each pause, and each change of the period.
 *
 * Errors: EINVAL (not started, no raw recording, or no text), E2BIG (the text is too long), EBUSY (the raw recording
 * has ended), ENOMEM. A failed write is reported as those of samples are.
 */
TPROF_API int tprof_session__mark(struct tprof_session *session, const char *text);

/** enum tprof_owner - what the samples of a profile are attributed to */
enum tprof_owner {
	TPROF_OWNER_PROCESS,
	TPROF_OWNER_THREAD,	/* @comm and @pid of entries and call stacks are the name and id of the thread */
	TPROF_OWNER_CPU,	/* @comm is "CPU 3"; @pid is -1, and @cgroup "" */
};

/**
 * struct tprof_read_opts - which part of a file to read, and where to report problems
 * @sz:      size of this struct
 * @from_ns: only samples from this time on, in nanoseconds since sampling began
 * @to_ns:   only samples before this time; 0: up to the end
 * @log:     receives a warning if the recording was cut short or is damaged, or if a pprof file of tprof has lost its
 *           ledger; NULL: no warning
 * @log_ctx: passed to @log
 * @owner:   what samples are attributed to in a profile; ignored by tprof_raw__each()
 * @value:   for a file of several events that tprof wrote: name of the event to read; NULL: all. For a pprof file of
 *           another program: name of the value that becomes the weight. NULL: the default value that the file names,
 *           otherwise the last one. "-NAME": the values of NAME that are below 0, with the sign changed
 * @note:    called for each note of the part of a raw recording, in the order of the file: before the samples of the
 *           same reading of the tables, and after those of earlier readings. A value other than 0 ends the reading and
 *           is returned. NULL: notes are skipped. Ignored for other files
 * @note_ctx: passed to @note
 */
struct tprof_read_opts {
	size_t sz;
	uint64_t from_ns;
	uint64_t to_ns;
	tprof_log_fn log;
	void *log_ctx;
	enum tprof_owner owner;
	const char *value;
	int (*note)(void *ctx, const struct tprof_raw_info *info, const struct tprof_raw_note *note);
	void *note_ctx;
};

/**
 * tprof_raw__each() - read the samples of a raw recording one by one
 * @fd:    read to its end, or until @fn ends the reading; stays open
 * @name:  name of the file, for messages
 * @opts:  NULL for all samples
 * @fn:    called for each sample
 * @ctx:   passed to @fn
 * @sum:   NULL, or filled with the totals of everything that was read, whether or not it was passed to @fn
 * @error: NULL, or filled on failure
 *
 * Samples come in the order in which they were written: sorted by time within one reading of the tables; those of one
 * CPU are always in order.
 *
 * A recording that was cut short or is damaged is read up to that point: the log receives a warning with the position,
 * @complete in @sum is false, and the call succeeds. The content of the file is not trusted: references are checked
 * before use, checksums are compared, and the memory for definitions is limited to 256 MiB at any time.
 *
 * Errors: EINVAL (@owner in @opts is not an enum tprof_owner), EBADMSG (empty, not a raw recording, or damaged before
 * the first sample), EPROTONOSUPPORT (written by a later version), EFBIG (exceeds a limit), ENOMEM, those of read(2),
 * and the value of @fn.
 */
TPROF_API int tprof_raw__each(int fd, const char *name, const struct tprof_read_opts *opts, tprof_raw_fn fn, void *ctx,
			      struct tprof_raw_sum *sum, struct tprof_error *error);

/**
 * tprof_profile__read_part() - returns a profile from a part of a raw recording, or from one value of a pprof file
 * @fd:    read to its end; stays open
 * @name:  name of the file, for messages
 * @opts:  NULL for everything, as tprof_profile__read()
 * @error: NULL, or filled on failure
 *
 * The ledger covers the whole recording: samples outside the part are counted as out_of_scope, and samples that are
 * missing because the recording was cut short, as @not_in_file. So the profile contains exactly the aggregated samples.
 *
 * The caller frees the profile with tprof_profile__free().
 *
 * Errors: those of tprof_profile__read(), and EINVAL: @from_ns, @to_ns or @owner is set and the file is not a raw
 * recording; @value is set and the file has no such value; or the part begins after the end of
 * the recording; or @owner is not an enum tprof_owner; or @to_ns is not later than @from_ns, in which case the message
 * begins with "from_ns and to_ns".
 */
TPROF_API struct tprof_profile *tprof_profile__read_part(int fd, const char *name, const struct tprof_read_opts *opts,
							 struct tprof_error *error);

#ifdef __cplusplus
}
#endif

#endif /* TPROF_TPROF_RAW_H */
