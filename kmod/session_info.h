/* SPDX-License-Identifier: GPL-2.0-only */
/* Information about a session. With the session's mutex held, except for tprof_session_fdinfo(), which takes it. */
#ifndef _TPROF_SESSION_INFO_H
#define _TPROF_SESSION_INFO_H

#include "uapi/tprof_device.h"

struct seq_file;
struct tprof_session;

int tprof_session_ledger(struct tprof_session *session, struct tprof_ledger_read *ledger);
int tprof_session_counts(struct tprof_session *session, struct tprof_counts *counts);
int tprof_session_info(struct tprof_session *session, struct tprof_session_info *info);
/* Bytes that the session takes, without its maps, the programs of its filters, and the kernel's counters. */
u64 tprof_session_memory(struct tprof_session *session);
int tprof_session_filter(struct tprof_session *session, struct tprof_filter_info *info);
const char *tprof_session_state_name(const struct tprof_session *session);
void tprof_session_fdinfo(struct tprof_session *session, struct seq_file *m);

#endif
