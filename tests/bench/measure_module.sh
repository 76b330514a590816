# SPDX-License-Identifier: GPL-2.0-only
# Measures the cost of the module in emulated machines. Sourced after part.sh; report_module.sh prints the report.

# Numbers of CPUs of the machines for snapshots; QEMU runs these CPUs in turns.
drain_cpus='2 16 64'
drain_entries=1000,10000,100000
wakes_cpus=4
wakes_hz=999
# The machine for stops has more CPUs than the host, so only as many spin as the host has.
busy_cpus=$(nproc)

# guest PROGRAM ARGUMENTS QEMU-OPTION...
guest() {
	"$here/guest.sh" "$build" "$@"
}

# QEMU options for a clock that counts instructions, independent of other load on the host
counted='-accel tcg,thread=single -icount shift=0,sleep=off'

measure_module() {
	progress 'instructions per sample'
	"$here/icount.sh" "$build" >"$out/samples" || fail 'the instructions of a sample cannot be counted'
	progress 'instructions per sample on arm64'
	ARCH=arm64 "$here/icount.sh" "$build" floor-kernel perf-kernel-stack timer-kernel-stack >"$out/samples.arm64" ||
		fail 'the instructions of a sample on arm64 cannot be counted'
	sed 's/^/arm64-/' "$out/samples.arm64" >>"$out/samples"
	for cpus in $drain_cpus; do
		progress "snapshots on $cpus CPUs"
		# shellcheck disable=SC2086 # options
		guest drain_cost $drain_entries $counted -smp "$cpus" -m 4G || fail 'snapshots cannot be measured'
	done >"$out/drains"
	progress 'idle CPUs'
	# shellcheck disable=SC2086
	guest idle_wakes.sh $wakes_hz $counted -smp $wakes_cpus -m 2G >"$out/wakes" ||
		fail 'interrupts of idle CPUs cannot be counted'
	progress 'context switches'
	# shellcheck disable=SC2086
	guest switch_cost none $counted -smp 1 -m 1G >"$out/switches" || fail 'context switches cannot be measured'
	progress 'waits'
	# shellcheck disable=SC2086
	guest wait_cost all $counted -smp 1 -m 1G >"$out/waits" || fail 'the cost of waits cannot be measured'
	progress 'memory and stops of sessions'
	guest session_cost "$busy_cpus" -accel tcg,thread=multi -smp 16 -m 2G >"$out/sessions" ||
		fail 'the machine with many CPUs does not do'
}
