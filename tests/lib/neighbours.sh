# SPDX-License-Identifier: GPL-2.0-only
# What perf and bpftrace see while tprof runs. Needs live.sh.

# A program that perf has to tell of.
program=$TMP/program
cp "$WORKLOAD/took" "$program"

# What perf does with a file at the end of recording it is left out: it is read by itself.
perf_records() {
	perf record -q -B -N -e cpu-clock -F 99 "$@" >"$TMP/perf.out" 2>&1
}

run_the_program() {
	# shellcheck disable=SC2016 # of the shell there
	"$@" sh -c 'for i in 1 2 3 4 5 6 7 8; do "$0" true; done 2>/dev/null; :' "$program"
}

# reads_all FILE: all that there is, once for all that is asked of it
reads_all() {
	perf script --show-mmap-events -i "$1" >"$TMP/perf.script" 2>>"$TMP/perf.out"
}

# What the records that were read last say of the program: device and inode
mappings_of_program() {
	awk -v program="$program" '/PERF_RECORD_MMAP2/ && $NF == program {
		sub(/.*@ /, ""); sub(/\].*/, ""); print $2 " " $3 }' "$TMP/perf.script" | sort -u
}

# As perf writes it. The number of a device has eight bits of the minor one, then twelve of the major one, then the rest
# of the minor.
identity_of_program() {
	stat -c '%d %i' "$program" | awk '{ high = int($1 / 1048576); low = $1 - high * 1048576
		printf "%02x:%02x %s", int(low / 256), low % 256 + high * 256, $2 }'
}

# perf_can_read FILE: without an error, and the program in there is the one that it is
perf_can_read() {
	reads_all "$1" && [ "$(mappings_of_program)" = "$(identity_of_program)" ]
}

# Without any tprof beside it. Somebody else's events may do to perf what tprof's must not.
perf_works_alone() {
	run_the_program perf_records -o "$TMP/alone.data" -- && perf_can_read "$TMP/alone.data"
}

# reads WHAT FILE
reads() {
	check "$1: perf script reads it" reads_all "$2"
	is "$1: the records name the file that was mapped" "$(mappings_of_program)" "$(identity_of_program)"
}

# bpftrace_counts WHAT
bpftrace_counts() {
	if ! command -v bpftrace >/dev/null; then
		skip "$1: bpftrace has its answer" 'no bpftrace'
		return
	fi
	like "$1: bpftrace has its answer" "$(bpftrace -e 'profile:hz:199 { @samples = count(); }
		interval:ms:500 { exit(); }' 2>&1)" '^@samples: [1-9]'
}

# beside WHAT COMMAND...: while this tprof runs, a perf that was there before it records the whole system, and one that
# comes after it a command: the kernel tells both after it has told tprof's events.
beside() {
	beside_what="beside $1"
	shift
	background perf record -q -B -N -e cpu-clock -F 99 -a -o "$TMP/all.data"
	beside_perf=$pid
	check "$beside_what: perf was there before" comes . find "$TMP/all.data" -size +0
	background "$@"
	beside_tprof=$pid
	check "$beside_what: it has started" await_session_of "$beside_tprof"
	check "$beside_what: perf record COMMAND" run_the_program perf_records -o "$TMP/command.data" --
	bpftrace_counts "$beside_what"
	kill -INT "$beside_perf"
	wait "$beside_perf" 2>>"$TMP/perf.out"
	end "$beside_tprof"
	reads "$beside_what, perf record COMMAND" "$TMP/command.data"
	reads "$beside_what, perf record -a" "$TMP/all.data"
}
