# SPDX-License-Identifier: GPL-2.0-only
# Prints the part of the report about the module, from the output of the emulated machines, and makes its plots. Sourced
# by report.sh and module.sh.

# A missing number is detected in a subshell, which therefore creates a file for publish().
missing() {
	echo "bench: no $*" >&2
	: >"$out/missing"
}

# field FILE NUMBER WORD...: prints a field of the line that begins with these words
field() {
	from=$1 nr=$2
	shift 2
	awk -v nr="$nr" -v words="$*" 'index($0, words " ") == 1 { print $nr; found = 1 } END { exit !found }' \
		"$out/$from" || missing "$*"
}

# whole ROW: prints the instructions for one sample of all its clients, as a whole number
whole() {
	printf '%.0f\n' "$(field samples 3 "$1")"
}

# above ROW FLOOR: prints the difference of the instructions of two rows
above() {
	awk -v a="$(field samples 3 "$1")" -v b="$(field samples 3 "$2")" 'BEGIN { printf "%.0f\n", a - b }'
}

# both WHAT NAME [PREFIX]: prints a line for samples in the kernel
both() {
	timer=$(above "${3-}timer-$2" "${3-}floor-kernel") perf=$(above "${3-}perf-$2" "${3-}floor-kernel")
	echo "| $1 | $timer | $perf | $(ratio "$timer" "$perf") |"
}

# by_hand WHAT ROW PLAIN: prints a line that compares the perf engine with a program that is written by hand
by_hand() {
	perf=$(above "$2" floor) plain=$(above "$3" floor)
	echo "| $1 | $perf | $plain | $(ratio "$perf" "$plain") |"
}

# of_plain ROW PLAIN: prints the cost of a sample of the perf engine as a fraction of that of a program by hand
of_plain() {
	ratio "$(above "$1" floor)" "$(above "$2" floor)"
}

# of_kernel NAME: prints the cost of a sample in the kernel of tprof.ko as a fraction of that of perf
of_kernel() {
	ratio "$(above "timer-$1" floor-kernel)" "$(above "perf-$1" floor-kernel)"
}

# clients FILTER NUMBER: prints a line for this number of clients
clients() {
	timer=$(above "timer-$1-$2" floor) perf=$(above "perf-$1-$2" floor)
	echo "| $2 | $timer | $(above "source-$1-$2" floor) | $(above "nmi-$1-$2" nmi-floor) | $perf | $(
		ratio "$timer" "$perf") |"
}

# of FILTER NUMBER: prints the cost of a sample of tprof.ko as a fraction of that of perf
of() {
	ratio "$(above "timer-$1-$2" floor)" "$(above "perf-$1-$2" floor)"
}

# sessions NUMBER [BUSY]: prints a field of the line about memory, or of the line about stops with BUSY busy CPUs
sessions() {
	if [ $# -eq 1 ]; then
		field sessions "$1" @memory
	else
		field sessions "$1" @stop "$session_cpus" "$2"
	fi
}

# scope WHAT NAME: prints a line about a scope
scope() {
	echo "| $1 | $(above "timer-$2" floor) | $(above "perf-$2" floor) |"
}

# snapshot CPUS ENTRIES [FORMAT]: prints the cost of a snapshot in millions of instructions
snapshot() {
	in_units "${3-%f}" 1e6 "$(field drains 5 @drain "$1" "$2")"
}

# thousands N: prints a number with thousands separators
thousands() {
	echo "$1" | sed -E ':more; s/([0-9])([0-9]{3})(,|$)/\1,\2\3/; t more'
}

# for_each_entry ENTRIES: prints the instructions for each entry of a table with this number of entries
for_each_entry() {
	in_units %.0f "$1" "$(field drains 5 @drain "$most_cpus" "$1")"
}

# drain ENTRIES: prints a line for a table with this number of entries
drain() {
	printf '| %s |' "$(thousands "$1")"
	for cpus in $drain_cpus; do
		printf ' %s |' "$(snapshot "$cpus" "$1" %.2f)"
	done
	printf ' %s | %s | %s |\n' "$(for_each_entry "$1")" \
		"$(in_units %.2f 1048576 "$(field drains 6 @drain "$most_cpus" "$1")")" \
		"$(in_units %.2f 1048576 "$(field drains 7 @drain "$most_cpus" "$1")")"
}

# plot NAME ARGUMENT...: draws standard input as a chart
plot() {
	mkdir -p "$out/plots"
	plotted=$1
	shift
	awk "$@" -f "$here/plot.awk" >"$out/plots/bench-$plotted.svg" || missing "plot $plotted"
}

# point NAME X Y
point() {
	printf '%s\t%s\t%s\n' "$@"
}

plot_clients() {
	for nr in 1 4 8 32; do
		point 'perf' $nr "$(above "perf-top-$nr" floor)"
		point 'tprof.ko, NMI' $nr "$(above "nmi-top-$nr" nmi-floor)"
		point 'tprof.ko, event of perf' $nr "$(above "source-top-$nr" floor)"
		point 'tprof.ko, timer' $nr "$(above "timer-top-$nr" floor)"
	done | plot clients -v title='What a sample costs, by the number of clients' -v x='clients at once' -v log_y=1 \
		-v y='instructions for a sample of all clients, each with the filter top'
}

plot_scope() {
	for nr in 1 100 10000; do
		point 'perf engine, out of it' $nr "$(above "perf-out-$nr" floor)"
		point 'perf engine, in scope' $nr "$(above "perf-in-$nr" floor)"
		point 'tprof.ko, in scope' $nr "$(above "timer-in-$nr" floor)"
		point 'tprof.ko, out of it' $nr "$(above "timer-out-$nr" floor)"
	done | plot scope -v title='What a sample costs, by the size of the scope' -v x='processes in scope' \
		-v y='instructions for a sample of a process that is in scope or not, without a filter that counts'
}

# Draws two charts of the same numbers: by entries of the table, and by CPUs
plot_drains() {
	for entries in $all_entries; do
		for cpus in $drain_cpus; do
			point "$cpus CPUs" "$entries" "$(snapshot "$cpus" "$entries")"
		done
	done | plot drain-entries -v title='What a snapshot costs, by the size of the table' -v log_y=1 \
		-v x='entries of the table, which is full' -v y='millions of instructions'
	for entries in $all_entries; do
		for cpus in $drain_cpus; do
			point "$(thousands "$entries") entries" "$cpus" "$(snapshot "$cpus" "$entries")"
		done
	done | plot drain-cpus -v title='What a snapshot costs, by the number of CPUs' -v log_y=1 \
		-v x='CPUs' -v y='millions of instructions'
}

# switch_above NAME CGROUPS: prints what counting adds to the instructions of a context switch
switch_above() {
	awk -v a="$(field switches 4 @switch "$1" "$2")" -v b="$(field switches 4 @switch floor 0)" \
		'BEGIN { printf "%.0f\n", a - b }'
}

# counting CGROUPS: prints a line for this number of cgroups
counting() {
	stat=$(switch_above stat "$1") copies=$(switch_above copies "$1")
	echo "| $1 | $stat | $copies | $(ratio "$stat" "$copies") |"
}

# wait_above NAME: prints what the programs for waits add to the instructions of a context switch
wait_above() {
	awk -v a="$(field waits 3 @wait "$1")" -v b="$(field waits 3 @wait floor)" 'BEGIN { printf "%.0f\n", a - b }'
}

# waiting WHAT NAME: prints a line for these programs
waiting() {
	echo "| $1 | $(wait_above "$2") | $(ratio "$(field waits 3 @wait "$2")" "$(field waits 3 @wait floor)") |"
}

# of_empty NAME: prints the cost of a switch with these programs as a fraction of one with empty programs
of_empty() {
	ratio "$(wait_above "$1")" "$(wait_above empty-both)"
}

# of_hand NAME: likewise, of the program by hand
of_hand() {
	ratio "$(wait_above "$1")" "$(wait_above by-hand)"
}

kernel=$(field sessions 2 @kernel)
session_cpus=$(sessions 2)
module_kib=$(in_units %.1f 1024 "$(sessions 3)")
both_kib=$(awk -v a="$(sessions 3)" -v b="$(sessions 4)" 'BEGIN { printf "%.1f", (a + b) / 1024 }')
all_entries=$(echo $drain_entries | tr , ' ')
most_cpus=${drain_cpus##* }
plot_clients
plot_scope
plot_drains

cat <<END
## What a sample costs

Instructions, counted: in an emulated machine whose clock advances by a nanosecond with each instruction, a fixed piece
of work takes longer when it is sampled, by just the instructions of the samples. They come on top of the
$(whole floor) that a timer costs which does nothing ($(whole floor-kernel) when it interrupts the kernel), or of the
$(whole nmi-floor) of a timer that sends an NMI.

* date: $(date -u +%F)
* machine: \`qemu-system-x86_64 -icount\`, one CPU, Debian's Linux $kernel; 40,000 samples a second, or
  4,000 where so many do not fit: with 32 clients, and with more than one that takes stacks
* clients: sessions of tprof.ko on its timer, on an event of perf (task-clock), or on a source that fires in NMIs; or of
  tprof's engine perf, each with a cpu-clock event and a program of its own
* filters: one that looks at nothing; \`top\`, which counts by address and process; one that counts by call stack of 20
  frames. The same object for all

| clients, empty filter | tprof.ko, timer | event of perf | NMI | perf | timer, of perf |
|---|---|---|---|---|---|
$(for nr in 1 4 8 32; do clients none $nr; done)

| clients, \`top\` | tprof.ko, timer | event of perf | NMI | perf | timer, of perf |
|---|---|---|---|---|---|
$(for nr in 1 4 8 32; do clients top $nr; done)

| clients, user stacks | tprof.ko, timer | event of perf | NMI | perf | timer, of perf |
|---|---|---|---|---|---|
$(for nr in 1 4 8 32; do clients stack $nr; done)

![instructions by the number of clients](docs/bench-clients.svg)

| one client, while the kernel runs | tprof.ko, timer | perf | ratio |
|---|---|---|---|
$(both '`top`' kernel)
$(both 'kernel stacks of 20 frames' kernel-stack)
$(both 'the same on arm64, whose own unwinder is fast' kernel-stack arm64-)

A program for perf that is written by hand, counts by address and process, and keeps no ledger of what it misses, costs
less than the perf engine with \`top\`:

| | perf engine | by hand | ratio |
|---|---|---|---|
$(by_hand 'the table has the key' perf-top-1 perf-plain)
$(by_hand 'the key is new' perf-fresh perf-plain-fresh)

What \`record --call-graph dwarf\` does for a sample, a copy of 8 KiB of the user stack and of the registers:

| tprof.ko, timer | perf engine | perf record |
|---|---|---|
| $(above copy-timer floor) | $(above copy-perf floor) | $(above copy-perf-record floor) |

| of tprof.ko | instructions |
|---|---|
| a sample is taken and counted, no filter | $(above capture-1 floor) |
| the same for each further session | $(awk -v a="$(above capture-8 capture-1)" 'BEGIN { printf "%.0f", a / 7 }') |
| a filter is called | $(above timer-none-1 capture-1) |
| a filter counts by address and process | $(above timer-top-1 timer-none-1) |
| a session skips the sample | $(above decimated timer-top-1) |
| a session looks at other processes | $(above elsewhere timer-top-1) |
| a sample is taken in an NMI, and delivered when that is over, no filter | $(above nmi-bare nmi-floor) |
| of that, in the NMI, on average and at most | $(whole nmi-bare-inside), $(whole nmi-bare-longest) |
| a kernel stack of 20 frames whose steps are not learned yet | $(above timer-cold-stack floor-kernel) |
| the sample in an NMI with a kernel stack of $(whole nmi-kernel-stack-frames) frames | $(
	whole nmi-kernel-stack-inside), $(whole nmi-kernel-stack-longest) |

| on $session_cpus CPUs | |
|---|---|
| memory of the module, KiB for each CPU | $module_kib |
| memory of a running session, no stream, bytes for each CPU | $(sessions 4) |
| a session stops, ms, median and worst | $(sessions 4 0), $(sessions 5 0) |
| the same with $busy_cpus CPUs busy, which is all that the emulator has | $(
	sessions 4 "$busy_cpus"), $(sessions 5 "$busy_cpus") |

$GOALS
$(goal 'a session, of an event of perf' "$(of top 1)" 0.70)
$(goal 'four, of four' "$(of top 4)" 0.30)
$(goal 'eight, of eight' "$(of top 8)" 0.25)
$(goal 'a session, of a program by hand' "$(of_plain timer-top-1 perf-plain)" 0.80)
$(goal "kernel stacks of 20 frames, of perf's" "$(of_kernel kernel-stack)" 0.20)
$(goal "a copy of a user stack, of perf record's" "$(of_plain copy-timer copy-perf-record)" 1.00)
$(goal 'the same, perf engine' "$(of_plain copy-perf copy-perf-record)" 1.00)
$(goal 'perf engine, of a program by hand' "$(of_plain perf-top-1 perf-plain)" 1.35)
$(goal 'the same, each key is new' "$(of_plain perf-fresh perf-plain-fresh)" 1.35)
$(goal 'memory of module and session, KiB for each CPU' "$both_kib" 64)
$(goal "a session stops on $session_cpus CPUs, ms" "$(sessions 4 0)" 100)

## What a scope costs

Instructions for a sample, as above, of a client with an empty filter that is asked for some processes: of one of them,
and of a process that is not. perf itself has no such scope: an event sees one process and its children, or all.

| processes in scope | tprof.ko, timer | perf engine |
|---|---|---|
| all | $(above timer-none-1 floor) | $(above perf-none-1 floor) |
$(scope '1, and the sample is of it' in-1)
$(scope '100, and the sample is of one' in-100)
$(scope '10,000, and the sample is of one' in-10000)
$(scope '1, and the sample is of another' out-1)
$(scope '100, and the sample is of another' out-100)
$(scope '10,000, and the sample is of another' out-10000)

![instructions by the size of the scope](docs/bench-scope.svg)

## What a snapshot costs

A table that is full of different addresses of the kernel, counted by a filter in the module, is read and emptied and
becomes a profile with names: millions of instructions of the client, system calls included, and memory on $most_cpus
CPUs. The machine is as above, with more CPUs, which run in turns.

| entries |$(printf ' %s CPUs |' $drain_cpus) instructions for each entry | tables, MiB | client at most, MiB |
|---|$(printf -- '---|%.0s' $drain_cpus)---|---|---|
$(for entries in $all_entries; do drain "$entries"; done)

$GOALS
$(goal 'instructions for each of 10,000 entries' "$(for_each_entry 10000)" 3500)

![instructions by the number of entries](docs/bench-drain-entries.svg)

![instructions by the number of CPUs](docs/bench-drain-cpus.svg)

## What counting costs

Instructions that counting \`task-clock\` adds to a context switch between two processes in cgroups of their own:
\`tprof stat -G\`, which reads one counter, and a counter for each cgroup, as \`perf stat --for-each-cgroup\` has them.
The switch itself, with the pipe through which the processes wake each other, takes $(
	in_units %.0f 1 "$(field switches 4 @switch floor 0)").

| cgroups that are counted | tprof stat -G | a counter for each | ratio |
|---|---|---|---|
$(for nr in 1 10 100; do counting $nr; done)

$GOALS
$(goal '100 cgroups, of one' "$(ratio "$(switch_above stat 100)" "$(switch_above stat 1)")" 1.20)

## What waits cost

Instructions that observing waits (\`--off-cpu\`) adds to a context switch that ends a wait of one process and begins
one of another, in a machine as above. Of the switch itself, the pipe and the wake-up included, there are $(
	in_units %.0f 1 "$(field waits 3 @wait floor)").

| | instructions | switch with it, of the switch alone |
|---|---|---|
$(waiting 'an empty program at `sched_switch`' empty)
$(waiting 'another one at `sched_waking`, too' empty-both)
$(waiting 'perf engine, other processes in scope' out-pid)
$(waiting 'perf engine, other cgroups in scope' out-cgroup)
$(waiting 'perf engine, other thread names in scope' out-comm)
$(waiting 'perf engine, `tprof run runqlat`' runqlat)
$(waiting 'perf engine, `tprof top`, waits below the minimum' below-min)
$(waiting 'perf engine, `tprof top`, between two samples (`-c`)' between-periods)
$(waiting 'perf engine, `tprof top`' top)
$(waiting 'perf engine, `tprof record`, waits below the minimum' below-min-stacks)
$(waiting 'perf engine, `tprof record`' stacks)
$(waiting 'perf engine, `tprof run offcpu`' offcpu)
$(waiting 'module, other processes in scope' module-out-pid)
$(waiting 'module, other cgroups in scope' module-out-cgroup)
$(waiting 'module, `tprof top`, waits below the minimum' module-below-min)
$(waiting 'module, `tprof top`, between two samples (`-c`)' module-between-periods)
$(waiting 'module, `tprof top`' module-top)
$(waiting 'module, `tprof record`, waits below the minimum' module-below-min-stacks)
$(waiting 'module, `tprof record`' module-stacks)
$(waiting 'module, `tprof run offcpu`' module-offcpu)
$(waiting 'a program by hand that counts as offcputime of bcc does' by-hand)
$(waiting 'records of both tracepoints, as of `perf sched record`' perf-sched)

\`perf sched record\` writes $(in_units %.0f 1 "$(field waits 3 @wait perf-sched-bytes)") bytes for each switch,
and tprof none.
On the perf engine, the call stacks of a wait are walked when it begins, because a program cannot read the user stack of
another thread; its length is known only when it is over. So a wait below the minimum costs nearly as much as one that
is counted. The module walks when the wait is over, and only for a wait that is a sample.

$GOALS
$(goal 'perf engine: out of scope, of both empty programs' "$(of_empty out-pid)" 1.50)
$(goal 'perf engine: below the minimum, of both empty programs' "$(of_empty below-min)" 1.50)
$(goal 'perf engine: call stacks counted, of the program by hand' "$(of_hand stacks)" 1.00)
$(goal 'module: out of scope, of both empty programs' "$(of_empty module-out-pid)" 1.50)
$(goal 'module: below the minimum, of both empty programs' "$(of_empty module-below-min)" 1.50)
$(goal 'module: call stacks counted, of the program by hand' "$(of_hand module-stacks)" 0.50)

## What idle CPUs notice

Interrupts a second that each CPU takes which has nothing to do: $wakes_cpus CPUs, the tools on the first, at
$wakes_hz Hz. \`tprof top\` reads what was counted each second, and so the ledger of all CPUs.

| | interrupts a second |
|---|---|
| nothing | $(field wakes 4 @wakes "$wakes_cpus" nothing) |
| \`tprof top\`, tprof.ko | $(field wakes 4 @wakes "$wakes_cpus" kmod) |
| \`tprof top --delay 1000\`, tprof.ko | $(field wakes 4 @wakes "$wakes_cpus" kmod-unread) |
| \`tprof top\`, perf engine | $(field wakes 4 @wakes "$wakes_cpus" perf-engine) |
| \`perf record -a\` | $(field wakes 4 @wakes "$wakes_cpus" perf) |
END
