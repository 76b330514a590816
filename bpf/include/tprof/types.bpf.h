/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's integer types, for filters. They are defined here so that a filter compiles for the bpf target without
 * the headers of an architecture. Compatible with linux/types.h and with a vmlinux.h.
 */
#ifndef __TPROF_TYPES_BPF_H
#define __TPROF_TYPES_BPF_H

#ifndef __VMLINUX_H__
typedef unsigned char __u8;
typedef signed char __s8;
typedef unsigned short __u16;
typedef signed short __s16;
typedef unsigned int __u32;
typedef signed int __s32;
typedef unsigned long long __u64;
typedef signed long long __s64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u64 __be64;
typedef __u32 __wsum;
#endif

#endif
