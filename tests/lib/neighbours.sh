# SPDX-License-Identifier: GPL-2.0-only
# Checks that perf works while tprof runs, and what the function others WHAT of the test checks. Needs live.sh.

# The recordings of perf must have the mappings of this program.
program=$TMP/program
cp "$WORKLOAD/took" "$program"

# -B and -N: perf does not read its file again at the end of the recording; perf script reads it later.
perf_records() {
	perf record -q -B -N -e cpu-clock -F 99 "$@" >"$TMP/perf.out" 2>&1
}

run_the_program() {
	# shellcheck disable=SC2016 # of the shell there
	"$@" sh -c 'for i in 1 2 3 4 5 6 7 8; do "$0" true; done 2>/dev/null; :' "$program"
}

# reads_all FILE: prints all records to $TMP/perf.script, once for all later questions
reads_all() {
	perf script --show-mmap-events -i "$1" >"$TMP/perf.script" 2>>"$TMP/perf.out"
}

# Prints the device and the inode of the program according to the records that were read last.
mappings_of_program() {
	awk -v program="$program" '/PERF_RECORD_MMAP2/ && $NF == program {
		sub(/.*@ /, ""); sub(/\].*/, ""); print $2 " " $3 }' "$TMP/perf.script" | sort -u
}

# Prints the device and the inode of the program in the format of perf. A device number has the low 8 bits of the minor
# number, then 12 bits of the major number, then the rest of the minor number.
identity_of_program() {
	stat -c '%d %i' "$program" | awk '{ high = int($1 / 1048576); low = $1 - high * 1048576
		printf "%02x:%02x %s", int(low / 256), low % 256 + high * 256, $2 }'
}

# perf_can_read FILE: perf reads it without an error, and the program has its device and inode there
perf_can_read() {
	reads_all "$1" && [ "$(mappings_of_program)" = "$(identity_of_program)" ]
}

# Checks perf without tprof: events of other programs may disturb perf in the way that events of tprof must not.
perf_works_alone() {
	run_the_program perf_records -o "$TMP/alone.data" -- && perf_can_read "$TMP/alone.data"
}

# reads WHAT FILE
reads() {
	check "$1: perf script reads it" reads_all "$2"
	is "$1: the records name the file that was mapped" "$(mappings_of_program)" "$(identity_of_program)"
}

# beside WHAT COMMAND...: while this tprof command runs, one perf, started earlier, records the whole system, and
# another, started later, records a command. The kernel writes records to the events of both after those of tprof.
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
	others "$beside_what"
	kill -INT "$beside_perf"
	wait "$beside_perf" 2>>"$TMP/perf.out"
	end "$beside_tprof"
	reads "$beside_what, perf record COMMAND" "$TMP/command.data"
	reads "$beside_what, perf record -a" "$TMP/all.data"
}
