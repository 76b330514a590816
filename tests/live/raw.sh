#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=9
# `tprof record --raw`: the file has every sample, in order. After tprof was killed or the disk became full, the part
# that was written can be read.
. "${0%/*}/../lib/live.sh"

# shellcheck disable=SC2046 # libraries are words
cc -std=gnu11 -D_GNU_SOURCE -g -O1 -Iinclude -Ilibtprof "${0%/*}/programs/raw_samples.c" "$BUILD/libtprof.a" \
	$(pkg-config --libs libbpf libelf jansson libprotobuf-c zlib libzstd) -liberty -o "$TMP/raw_samples" ||
	bail 'cannot build raw_samples'
TPROF=$(realpath "$TPROF")
WORKLOAD=$(realpath "$WORKLOAD")
cd "$TMP" || exit

# sums FILE: prints the weight of the functions, weight and samples aggregated, samples done, and samples that are
# not in the file. Recordings of one process have no idle samples in scope.
sums() {
	"$TPROF" export -i "$1" -f json 2>sums.err | jq -r '[([.functions[].weight] | add // 0),
		.ledger.weight.aggregated, .ledger.aggregated, .ledger.done,
		.ledger.not_in_file // 0] | join(" ")'
}

# ascends FILE: prints how often a timestamp is smaller than the previous one of the same CPU
ascends() {
	awk '$2 + 0 < last[$1] { back++ } { last[$1] = $2 } END { print back + 0 }' "$1"
}

# share_of FILE NAME: prints the share of the function itself in the samples, percent. Not in the weight: a sample that
# comes after a virtual CPU has waited for a real one has the weight of the wait.
share_of() {
	"$TPROF" report -i "$1" --json 2>/dev/null | jq -r --arg name "$2" '
		.total.samples as $all | [.rows[] | select(.name == $name) | .self.samples * 100 / $all] | add // 0'
}

# Two filters sample the same process at the same time, with the same result.
background "$WORKLOAD/spin" --seconds 600
spin=$pid
"$TPROF" record --raw -F 4999 --duration 3 -p "$spin" >stdout 2>stderr </dev/null &
recorder=$!
"$TPROF" record -F 4999 --duration 3 -p "$spin" -o stacks.pb.gz >/dev/null 2>stacks.err </dev/null
wait $recorder
is 'exit code' $? 0
without_loss stderr
is 'nothing on standard output' "$(cat stdout)" ''
like 'ledger' "$(sed -n 1p stderr)" \
	'^tprof: perf, [a-z-]+: [1-9][0-9]* samples in ([3-9]|[0-9]{2,})\.[0-9] s: [1-9][0-9]* done, '
like 'file' "$(sed -n 2p stderr)" '^tprof: tprof\.traw: [1-9][0-9]* samples, [0-9.]+ [KM]iB$'
is 'no more words' "$(wc -l <stderr)" 2
is 'for the owner alone' "$(stat -c %a tprof.traw)" 600
./raw_samples tprof.traw >samples 2>sum
done_samples=$(sed -n '1s/.* s: \([0-9]*\) done.*/\1/p' stderr)
is 'every sample done is in the file, once' "$(awk '{ sum += $3 } END { print sum, NR }' samples)" \
	"$done_samples $done_samples"
is 'the sums are those of the samples' \
	"$(awk '{ n += $3; w += $4 } END { printf "%d %.0f complete\n", n, w }' samples)" "$(cat sum)"
is 'times of a CPU ascend' "$(ascends samples)" 0
# On a busy machine the recording takes longer than 3 s; its length is printed with one decimal.
took=$(sed -n '1s/.* samples in \([0-9.]*\) s: .*/\1/p' stderr)
is 'times are within the recording' "$(awk -v took="$took" '$2 + 0 > (took + 0.5) * 1e9' samples | wc -l)" 0
is 'threads are told' "$(cut -d ' ' -f 6 samples | sort -u)" spin
is 'report: the weights add up to what was aggregated' \
	"$(sums tprof.traw | awk '{ print $1 - $2, $3 - $4, $5 }')" '0 0 0'
# Not that of the work (live/accuracy): five periods take about as long as a round of spin, so with some clocks of CPUs
# the samples of both drift slowly through the round.
for name in hot warm mild; do
	share=$(share_of stacks.pb.gz $name)
	within "the share of $name(), of $share" "$(share_of tprof.traw $name)" "$share" 2
	check "$name() has samples" awk -v share="$share" 'BEGIN { exit !(share > 10) }'
done
diag "bytes a sample: $(awk -v size="$(stat -c %s tprof.traw)" -v nr="$done_samples" 'BEGIN { print size / nr }')"
is 'call stacks' "$("$TPROF" export -i tprof.traw -f folded | grep -c '^spin;.*main;work_in_threads;work;hot [1-9]')" 1

# A time range
is 'a part: is as much as is in it' "$("$TPROF" report -i tprof.traw --from 1 --to 2 --json |
	jq -r '.total.samples')" "$(awk '$2 + 0 >= 1e9 && $2 + 0 < 2e9 { sum += $3 } END { print sum }' samples)"

# A pipe transports the complete recording.
"$TPROF" record --raw -o - -F 997 -- "$WORKLOAD/spin" --seconds 1 2>stderr |
	"$TPROF" report -i - --json >json 2>pipe.err
without_loss stderr
without_loss pipe.err
is 'pipe: nothing is missing' "$(cat pipe.err)" ''
is 'pipe: the samples are there' "$(jq -r .total.samples json)" "$(sed -n '1s/.* s: \([0-9]*\) done.*/\1/p' stderr)"
is 'closed pipe' "$({ "$TPROF" record --raw -o - -F 4999 --duration 2 2>/dev/null; echo $? >code; } | true; cat code)" 0

# After a kill, the file has everything that was written, and reading it prints a warning.
echo old >killed.traw
"$TPROF" record --raw -F 997 -p "$spin" -o killed.traw >/dev/null 2>&1 </dev/null &
recorder=$!
is_written() { [ "$(stat -c %s killed.traw)" -gt 8192 ]; }
await is_written
kill -9 $recorder
wait $recorder 2>/dev/null
./raw_samples killed.traw >samples 2>sum
like 'kill -9: is seen' "$(cat sum)" '^[1-9][0-9]* [1-9][0-9]* cut$'
is 'kill -9: the ledger closes' "$(sums killed.traw | awk '{ print $1 - $2, $4 - $3 - $5 }')" '0 0'
is 'kill -9: report says it once' "$("$TPROF" report -i killed.traw 2>&1 >report | grep -Ec \
	'^tprof: warning: killed\.traw: cut short: it has [1-9][0-9]* samples, until [0-9.]+ s; [0-9]+ more')" 1
like 'kill -9: report works' "$(cat report)" ' hot +spin$'
is 'kill -9: nothing else was left' "$(ls -A | grep -c '^\.tprof')" 0

# If a process changes its name, each sample has the name at its time, for the process and for its first thread.
# shellcheck disable=SC2016 # for the other shell
printf '%s\n' 'for name in first second third; do' '	printf $name >/proc/$$/comm; i=0' \
	'	while [ $i -lt 150000 ]; do i=$((i + 1)); done' 'done' >rename
"$TPROF" record --raw -F 4999 -o renamed.traw -- sh rename >/dev/null 2>&1
for by in process thread; do
	"$TPROF" report -i renamed.traw -b $by --json 2>/dev/null |
		jq -r '.rows[] | "\(.self.samples) \(.name)"' | sort >renamed.$by
done
like 'renamed: all its names were seen' "$(awk '{ print $2 }' renamed.process | sort | tr '\n' ' ')" \
	'first .*second .*third'
is 'renamed: the process is called as its first thread' "$(cat renamed.process)" "$(cat renamed.thread)"
is 'renamed: the ledger closes' "$(sums renamed.traw | awk '{ print $1 - $2, $4 - $3 - $5 }')" '0 0'

# A full disk is reported immediately, and the part that was written can be read.
mkdir small
if unshare -m true 2>unshare.err; then
	# shellcheck disable=SC2016 # for the other shell
	TPROF=$TPROF unshare -m sh -c 'mount -t tmpfs -o size=64k none small && {
		"$TPROF" record --raw -F 9973 -p '"$spin"' -o small/x.traw --duration 30 >/dev/null 2>stderr </dev/null
		echo $? >code
		cat small/x.traw >full.traw
		{ cat /dev/zero >small/zero; } 2>/dev/null
		"$TPROF" record --raw -F 997 -p '"$spin"' -o small/x.traw --duration 30 >/dev/null 2>again </dev/null
		echo $? >again.code
		cmp small/x.traw full.traw >again.file 2>&1
		ls -A small >again.left
	}'
	is 'full disk: exit code' "$(cat code)" 1
	like 'full disk: says so' "$(cat stderr)" '^tprof: raw recording: cannot be written: No space left on device$'
	like 'full disk: the ledger, before the time was over' "$(cat stderr)" \
		'^tprof: perf, .* samples in ([0-9.]+ ms|[12]?[0-9]\.[0-9] s): .* done,.* lost'
	is 'full disk: how much can be read' \
		"$(sed -n 's/^tprof: small.x.traw: \([0-9]*\) samples, .*, cut short$/\1/p' stderr)" \
		"$("$TPROF" report -i full.traw --json 2>/dev/null | jq .total.samples)"
	is 'no space at all: exit code' "$(cat again.code)" 1
	is 'no space at all: says so' "$(cat again)" 'tprof: raw recording: cannot be written: No space left on device
hint: nothing was recorded; free some disk space, or write to another file system'
	is 'no space at all: the recording that was there is kept' "$(cat again.file)" ''
	is 'no space at all: nothing else is left' "$(cat again.left)" "$(printf 'x.traw\nzero')"
	is 'full disk: what was written can be read' \
		"$(sums full.traw | awk '{ print $1 - $2, $4 - $3 - $5, ($3 > 100) }')" '0 0 1'
else
	skip 'full disk' "no mounts here: $(cat unshare.err)"
fi

refuses 'a filter that counts' 2 'raw recording: top does not count each sample separately' \
	"$TPROF" record --raw --filter top --duration 1 -o no.traw
refuses '--format' 2 '--raw and --format exclude each other' "$TPROF" record --raw --format json --duration 1
refuses '--call-graph none' 2 '--raw and --call-graph none exclude each other' \
	"$TPROF" record --raw --call-graph none --duration 1
is 'what was refused left no file' "$(ls no.traw 2>/dev/null)" ''
is 'an engine that cannot' "$(code "$TPROF" record --raw --engine warp -o killed.traw --duration 1)" 2
check 'an engine that cannot: the file is as it was' ./raw_samples killed.traw

done_testing
