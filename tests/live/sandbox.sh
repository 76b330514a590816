#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=10
# The sandbox: an attacker who controls tprof after it has read a malicious file can do no harm in any command. Without
# the sandbox the same attempts succeed.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/compile.sh"

export TPROF_FILTER_PATH="$BUILD/filters"
compile "$TMP/taken" "$BUILD/libtprof.a" -DTPROF_TAKEOVER -I"$BUILD/gen/libtprof" libtprof/elf/elf_file.c \
	"${0%/*}/programs/takeover.c" "$BUILD"/obj/cli/*.o "$BUILD"/obj/cli/*/*.o -lncursesw -lm
background "$WORKLOAD/spin" --seconds 600
sampled=$pid
background sleep 600
victim=$pid
tprof=$TMP/taken

# taken_over OPTION...: runs the tprof with the payload, which writes the results of its attempts to $TMP/report
taken_over() {
	mkdir -p "$TMP/inside"
	rm -rf "$TMP/inside/"*
	echo content >"$TMP/inside/there"
	TAKEOVER_REPORT=9 TAKEOVER_VICTIM=$victim TAKEOVER_DIRECTORY=$TMP/inside "$tprof" "$@" 9>"$TMP/report" \
		>"$TMP/stdout" 2>"$TMP/stderr" </dev/null || diag "$(cat "$TMP/stderr")"
}

# holds NAME OPTION...: all attempts of the payload fail, and tprof has its result
holds() {
	holds_name=$1
	shift
	taken_over "$@"
	is "$holds_name: the payload ran to its end" "$(tail -n 1 "$TMP/report")" 'end done'
	is "$holds_name: it has done nothing" \
		"$(sed '$d' "$TMP/report" | grep -v -x -E '[a-z0-9_]+ (EPERM|EACCES|EXDEV)')" ''
	is "$holds_name: nothing was changed" "$(ls "$TMP/inside") $(cat "$TMP/inside/"*)" 'there content'
	check "$holds_name: the victim lives" kill -0 "$victim"
}

holds 'top' top --batch --duration 1 -p "$sampled"
like 'top: and it samples on' "$(cat "$TMP/stdout")" 'hot'
holds 'record' record --call-graph dwarf --duration 1 -p "$sampled" -o "$TMP/file.pb.gz"
check 'record: the file is whole' "$TPROF" report -i "$TMP/file.pb.gz"
holds 'record: raw' record --raw --duration 1 -p "$sampled" -o "$TMP/file.traw"
check 'record: raw: the file is whole' "$TPROF" report -i "$TMP/file.traw"
holds 'run' run --duration 1 -p "$sampled" top
holds 'a command' top --batch -- "$WORKLOAD/spin" --seconds 1
# shellcheck disable=SC2016 # expanded by the inner shell
with_pins() {
	unshare -m sh -c 'mountpoint -q /sys/fs/bpf || mount -t bpf bpf /sys/fs/bpf; exec "$@"' sh "$TMP/taken" "$@"
}
tprof=with_pins
holds 'pins' top --batch --pin --duration 1 -p "$sampled"
tprof=$TMP/taken

# If the broker, which renames the file at the end, is killed, the file keeps its temporary name, with a message.
mkdir "$TMP/out"
background "$TPROF" record --duration 2 -p "$sampled" -o "$TMP/out/file"
recorder=$pid
await grep -q . "/proc/$recorder/task/$recorder/children"
sleep 0.5
# shellcheck disable=SC2046 # one child
kill -9 $(cat "/proc/$recorder/task/$recorder/children")
wait "$recorder"
is 'the broker is killed: exit code' $? 1
like 'the broker is killed: is said' "$(cat "$TMP/background.out")" 'the broker process, .* has exited'
like 'the broker is killed: what failed' "$(cat "$TMP/background.out")" \
	"^tprof: $TMP/out/file: the temporary file cannot be renamed: the broker process has exited\$"
check 'the broker is killed: the file is whole' sh -c "$TPROF report -i $TMP/out/.tprof.*"

# A killed tprof leaves no file.
background "$TPROF" record --duration 60 -p "$sampled" -o "$TMP/out/other"
await grep -q . "/proc/$pid/task/$pid/children"
kill -9 "$pid"
wait "$pid" 2>/dev/null
check 'tprof is killed: its file goes' await sh -c "[ \$(ls -A $TMP/out | wc -l) -eq 1 ]"

# Without the sandbox the payload succeeds, which proves that it works.
at_exit "umount $TMP/inside 2>/dev/null"
taken_over top --batch --duration 1 -p "$sampled" --no-sandbox
for attempt in kill tcp unix bpf_program bpf_map perf_event fork exec code_by_mprotect create write truncate unlink; do
	like "without: $attempt" "$(cat "$TMP/report")" "^$attempt done\$"
done
done_testing
