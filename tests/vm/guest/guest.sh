# SPDX-License-Identifier: GPL-2.0-only
# The guest has the properties that the other tests assume.
. "${0%/*}/../lib/tap.sh"

check 'BTF of the kernel' test -r /sys/kernel/btf/vmlinux
check 'cgroup v2' grep -q ' /sys/fs/cgroup cgroup2 ' /proc/mounts
check 'BPF file system' grep -q ' /sys/fs/bpf bpf ' /proc/mounts
is 'CPUs' "$(nproc)" 2
done_testing
