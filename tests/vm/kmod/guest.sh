# SPDX-License-Identifier: GPL-2.0-only
# The guest has the properties that the other tests assume: the module is loaded, and tools and files exist.
. "${0%/*}/../lib/tap.sh"

check 'the module is loaded' grep -q '^tprof ' /proc/modules
check 'the device is there' test -c /dev/tprof
check 'BTF of the kernel' test -r /sys/kernel/btf/vmlinux
check 'BTF of the module' test -s /sys/kernel/btf/tprof
check 'cgroup v2' grep -q ' /sys/fs/cgroup cgroup2 ' /proc/mounts
check 'BPF file system' grep -q ' /sys/fs/bpf bpf ' /proc/mounts
check 'trace file system' test -d /sys/kernel/tracing/events/sched
check 'debug file system' grep -q ' /sys/kernel/debug debugfs ' /proc/mounts
check 'perf counts' perf stat -e context-switches true
# QEMU emulates counters for arm64 only.
if [ "$(uname -m)" = aarch64 ]; then
	like 'perf counts cycles' "$(perf stat -x, -e cycles true 2>&1)" '^[1-9][0-9]*,,cycles'
fi
check 'bpftool lists' bpftool prog show
check 'jq reads' jq -ne true
check 'modprobe finds the module' modprobe -D tprof
done_testing
