/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * The raw recording format: what writer and reader share. docs/raw.md is the specification and takes precedence.
 *
 * All numbers are little-endian and may be unaligned. A payload that is longer than the known fields of its type has
 * fields of a later version at its end, which are skipped.
 */
#ifndef TPROF_RAW_H
#define TPROF_RAW_H

#include <stdint.h>

#include "uapi/tprof.h"

/* File header: magic, u16 major version, u16 minor version, u32 byte order. */
#define RAW_MAGIC		"tprofraw"
#define RAW_MAGIC_BYTES		8
#define RAW_MAJOR		1
#define RAW_MINOR		4
#define RAW_BYTE_ORDER		0x01020304
#define RAW_MAJOR_AT		8
#define RAW_MINOR_AT		10
#define RAW_BYTE_ORDER_AT	12
#define RAW_FILE_HEADER		16

/* Records follow: u32 type, u32 bytes of payload, u32 CRC-32 of both and the payload; the payload. */
#define RAW_LENGTH_AT		4
#define RAW_CHECKSUM_AT		8
#define RAW_HEADER		12
#define RAW_MAX_PAYLOAD		(1U << 20)

enum raw_type {
	RAW_START = 1,		/* what is recorded; always the first record */
	RAW_STRING = 2,		/* strings, frames, call stacks, tasks: each kind is numbered in order of definition */
	RAW_FRAME = 3,
	RAW_CALL_STACK = 4,
	RAW_TASK = 5,
	RAW_SAMPLES = 6,
	RAW_LEDGER = 7,		/* the ledger since the start; follows the samples of each reading of the tables */
	RAW_FORGET = 8,		/* drops all definitions; the numbers of each kind restart at 0 */
	RAW_END = 9,		/* the recording is complete; always the last record */
	RAW_NAME = 10,		/* the name of a frame that had none when it was defined */
	RAW_NOTE = 11,		/* a mark of the client, or a change of the session; since version 1.2 */
	RAW_NEXT_EVENT = 12,		/* the second event, the third, ..., before all samples; since version 1.3 */
	RAW_EVENT_LEDGER = 13,	/* after RAW_LEDGER, for each of several events; since version 1.3 */
};

/* RAW_START */
#define RAW_START_TIME_AT	0	/* u64, CLOCK_MONOTONIC, ns */
#define RAW_START_REAL_AT	8	/* u64, CLOCK_REALTIME, ns */
#define RAW_START_RATE_AT	16	/* u64, Hz, or 0 */
#define RAW_START_PERIOD_AT	24	/* u64, units of the event */
#define RAW_START_CPUS_AT	32	/* u32 */
#define RAW_START_ONLINE_AT	36	/* u32 */
#define RAW_START_TEXTS_AT	40	/* for each enum raw_text: u32 length and that many bytes */
enum raw_text { RAW_ENGINE, RAW_EVENT, RAW_UNIT, RAW_FALLBACK, RAW_KERNEL, RAW_MACHINE, RAW_VERSION, RAW_NR_TEXTS };

/* RAW_STRING: the bytes of the string. RAW_CALL_STACK: u32 numbers of frames, from the leaf to the root. */

/* RAW_FRAME: u32 numbers of strings unless noted otherwise */
#define RAW_FRAME_SYMBOL_AT	0
#define RAW_FRAME_OBJECT_AT	4
#define RAW_FRAME_PATH_AT	8
#define RAW_FRAME_BUILD_ID_AT	12
#define RAW_FRAME_ADDRESS_AT	16	/* u64 */
#define RAW_FRAME_MODE_AT	24	/* u32, enum tprof_mode */
#define RAW_FRAME_FILE_AT	28
#define RAW_FRAME_LINE_AT	32	/* u32 */
#define RAW_FRAME_START_LINE_AT	36	/* u32 */
#define RAW_FRAME_FLAGS_AT	40	/* u32 */
#define RAW_FRAME_BYTES		44
#define RAW_FRAME_INLINED	1U

/* RAW_NAME: u32 number of a frame, then u32 numbers of strings */
#define RAW_NAME_FRAME_AT	0
#define RAW_NAME_SYMBOL_AT	4
#define RAW_NAME_OBJECT_AT	8
#define RAW_NAME_BYTES		12

/* RAW_TASK */
#define RAW_TASK_PID_AT		0	/* u32, likewise TID: in the initial pid namespace; all bits set: unknown */
#define RAW_TASK_TID_AT		4
#define RAW_TASK_PROCESS_AT	8	/* u32 numbers of strings */
#define RAW_TASK_THREAD_AT	12
#define RAW_TASK_CGROUP_AT	16
#define RAW_TASK_BYTES		20

/* u32 bytes of each sample; then the samples */
#define RAW_SAMPLES_AT		4
#define RAW_SAMPLE_TIME_AT	0	/* u64, CLOCK_MONOTONIC, ns */
#define RAW_SAMPLE_WEIGHT_AT	8	/* u64, units of the event */
#define RAW_SAMPLE_SAMPLES_AT	16	/* u32 */
#define RAW_SAMPLE_TASK_AT	20	/* u32 number of a task */
#define RAW_SAMPLE_CALL_STACK_AT	24	/* u32 number of a call stack */
#define RAW_SAMPLE_CPU_AT	28	/* u32; all bits set: unknown */
#define RAW_SAMPLE_FLAGS_AT	32	/* u32, TPROF_SAMPLE_* */
#define RAW_SAMPLE_BYTES	36
/* If there are several events. In version 1.2, all samples are of one event */
#define RAW_SAMPLE_EVENT_AT	36	/* u32, number of the event */
#define RAW_SAMPLE_EVENT_BYTES	40

/* RAW_LEDGER: a tally is u64 samples, u64 weight */
#define RAW_LEDGER_TIME_AT	0	/* u64, CLOCK_MONOTONIC, ns */
#define RAW_LEDGER_PERIOD_AT	8	/* u64, the period at that time */
#define RAW_LEDGER_COUNTER_AT	16	/* IEEE 754 double */
#define RAW_LEDGER_SIDEBAND_AT	24	/* u64 */
#define RAW_LEDGER_WRITTEN_AT	32	/* tally: all samples in the file so far */
#define RAW_LEDGER_FIRED_AT	48	/* tally */
#define RAW_LEDGER_IDLE_AT	64	/* tally */
#define RAW_LEDGER_NR_AT	80	/* 3 u32: number of outcomes, reasons for loss, and countings */
#define RAW_LEDGER_TALLIES_AT	92	/* that many tallies, in the order of uapi/tprof.h */
#define RAW_LEDGER_NR		(TPROF_NR_OUTCOMES + TPROF_NR_LOST_REASONS + TPROF_NR_COUNTINGS)
/* Then, since version 1.1, a tally: aggregated samples that lack a name because process events were lost */
/* Then, since version 1.4, 2 u64: time enabled and time running of the counters, ns */
#define RAW_LEDGER_BYTES	(RAW_LEDGER_TALLIES_AT + 16 * RAW_LEDGER_NR + 16 + 16)

/* RAW_NEXT_EVENT: then the name and the unit as texts of RAW_START */
#define RAW_EVENT_RATE_AT	0	/* u64, Hz, or 0 */
#define RAW_EVENT_PERIOD_AT	8	/* u64, units of the event */
#define RAW_EVENT_TEXTS_AT	16

/* RAW_EVENT_LEDGER: u32 number of the event; then as RAW_LEDGER, for its samples only */
#define RAW_EVENT_LEDGER_AT	4

/* RAW_END: u64 CLOCK_MONOTONIC, ns: end of sampling. RAW_FORGET has no payload. */
#define RAW_END_BYTES		8

/* RAW_NOTE: then the bytes of the text */
#define RAW_NOTE_TIME_AT	0	/* u64, CLOCK_MONOTONIC, ns */
#define RAW_NOTE_KIND_AT	8	/* u32, enum tprof_note */
#define RAW_NOTE_TARGET_AT	12	/* u32, enum tprof_target_kind */
#define RAW_NOTE_ID_AT		16	/* u64 */
#define RAW_NOTE_TEXT_AT	24

#define RAW_NOT_KNOWN		UINT32_MAX

static inline void raw_put16(uint8_t *at, uint16_t number)
{
	at[0] = (uint8_t)number;
	at[1] = (uint8_t)(number >> 8);
}

static inline void raw_put32(uint8_t *at, uint32_t number)
{
	raw_put16(at, (uint16_t)number);
	raw_put16(at + 2, (uint16_t)(number >> 16));
}

static inline void raw_put64(uint8_t *at, uint64_t number)
{
	raw_put32(at, (uint32_t)number);
	raw_put32(at + 4, (uint32_t)(number >> 32));
}

static inline uint16_t raw_get16(const uint8_t *at)
{
	return (uint16_t)(at[0] | at[1] << 8);
}

static inline uint32_t raw_get32(const uint8_t *at)
{
	return raw_get16(at) | (uint32_t)raw_get16(at + 2) << 16;
}

static inline uint64_t raw_get64(const uint8_t *at)
{
	return raw_get32(at) | (uint64_t)raw_get32(at + 4) << 32;
}

#endif
