#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# `tprof merge` adds up samples, call stacks and ledgers, and refuses incompatible profiles with an error message.
. "${0%/*}/../lib/cli.sh"

for profile in small flat raw; do
	"$MAKE_PROFILE" $profile >"$TMP/$profile.pb.gz"
done
"$MAKE_PROFILE" small other >"$TMP/other.pb.gz"
cd "$TMP" || exit 1

# sums FILE: prints fired, aggregated, and the samples and the weight of all functions
sums() {
	"$TPROF" export "$1" -f json | jq -r '[.ledger.fired, .ledger.aggregated, ([.functions[].samples] | add),
		([.functions[].weight] | add)] | join(" ")'
}

# added FILE...: prints the same of several files, added up
added() {
	for file; do
		sums "$file"
	done | awk '{ for (i = 1; i <= NF; i++) sum[i] += $i; n = NF }
		END { for (i = 1; i <= n; i++) printf "%d%s", sum[i], i < n ? " " : "\n" }'
}

check 'two of them' "$TPROF" merge small.pb.gz other.pb.gz -o both.pb.gz
is 'two of them: the sums' "$(sums both.pb.gz)" "$(added small.pb.gz other.pb.gz)"
"$TPROF" export both.pb.gz -f json >both.json
ledger_closes 'two of them' both.json
is 'two of them: their call stacks' "$("$TPROF" export both.pb.gz -f folded | sort)" \
	"$({ "$TPROF" export small.pb.gz -f folded; "$TPROF" export other.pb.gz -f folded; } |
		awk '{ n = $NF; $NF = ""; sum[$0] += n } END { for (k in sum) print k sum[k] }' | sort)"
within 'two of them: durations add up' "$(jq -r .duration_s both.json)" "$({ "$TPROF" export small.pb.gz -f json
	"$TPROF" export other.pb.gz -f json; } | jq -s 'map(.duration_s) | add')" 0.01
check 'three, one twice and one raw' "$TPROF" merge small.pb.gz raw.pb.gz small.pb.gz -o three.pb.gz
is 'three: the sums' "$(sums three.pb.gz)" "$(added small.pb.gz raw.pb.gz small.pb.gz)"
check 'without call stacks' "$TPROF" merge flat.pb.gz flat.pb.gz -o flats.pb.gz
is 'without call stacks: the sums' "$(sums flats.pb.gz)" "$(added flat.pb.gz flat.pb.gz)"
"$TPROF" merge small.pb.gz other.pb.gz >piped.pb.gz
check 'to standard output' cmp piped.pb.gz both.pb.gz
cp small.pb.gz into.pb.gz
check 'into one of them' "$TPROF" merge into.pb.gz other.pb.gz -o into.pb.gz
check 'into one of them: the same' cmp into.pb.gz both.pb.gz
check 'in another format' "$TPROF" merge small.pb.gz other.pb.gz -o both.folded
is 'in another format: the same' "$(cat both.folded)" "$("$TPROF" export both.pb.gz -f folded)"

refuses 'one alone' 2 'merge: takes at least two profiles' "$TPROF" merge small.pb.gz -o no.pb.gz
refuses 'one that is not there' 2 'none.pb.gz: No such file' "$TPROF" merge small.pb.gz none.pb.gz -o no.pb.gz
refuses 'one whose name controls the terminal' 2 'a[?]\[31mb[?][?][?].pb.gz: No such file' \
	"$TPROF" merge small.pb.gz "$(printf 'a\033[31mb\302\233\377.pb.gz')"
refuses 'with call stacks and without' 2 'flat.pb.gz: has no call stacks, unlike' \
	"$TPROF" merge small.pb.gz flat.pb.gz -o no.pb.gz

# This script makes uncompressed pprof files as other programs write them.
python=$(command -v python3) && cat >make.py <<'END'
import sys
def number(n):
    n &= (1 << 64) - 1
    out = b''
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])
def field(at, value):
    if isinstance(value, int):
        return number(at << 3) + number(value)
    return number(at << 3 | 2) + number(len(value)) + value
# make.py NAME UNIT VALUE...: values of a sample each, of functions of their own
name, unit, *values = sys.argv[1:]
out = field(1, field(1, 1) + field(2, 2))
strings = ['', name, unit]
for i, value in enumerate(values, 1):
    strings.append('_ZN3foo3bar%dEi' % i if i < 2 else 'f%d' % i)
    out += field(5, field(1, i) + field(2, len(strings) - 1))
    out += field(4, field(1, i) + field(4, field(1, i)))
    out += field(2, field(1, number(i)) + field(2, number(int(value))))
sys.stdout.buffer.write(out + b''.join(field(6, s.encode()) for s in strings))
END
if [ -n "$python" ]; then
	python3 make.py alloc bytes 100 -30 7 >alloc.pb
	python3 make.py cpu nanoseconds 100 30 7 >cpu.pb
	like 'not packed, of another program: what is shown' "$("$TPROF" report alloc.pb)" \
		'^# engine unknown, event alloc \(bytes; 30 below 0 are left out: --value -alloc shows them\)'
	is 'below 0' "$("$TPROF" report alloc.pb --value -alloc --json | jq -r '[.rows[] | "\(.name) \(.self.weight)"] |
		join(",")')" 'f2 30'
	like 'below 0: what is shown' "$("$TPROF" report alloc.pb --value -alloc)" \
		'^# engine unknown, event alloc \(bytes; the values below 0\)'
	refuses 'no such value' 2 'alloc.pb: has no sample value named space' "$TPROF" report alloc.pb --value space
	refuses 'no value of a raw recording' 2 'raw.pb.gz: has no sample value named weight' \
		"$TPROF" report raw.pb.gz --value weight
	refuses 'other values of tprof' 2 'has no sample value named samples' \
		"$TPROF" report small.pb.gz --value samples
	event=$("$TPROF" report small.pb.gz --json | jq -r .event)
	is 'other values of tprof: what there is' "$("$TPROF" report small.pb.gz --value samples 2>&1 | tail -n 1)" \
		"hint: it has $event"
	is 'the only event of a profile of tprof, by its name' \
		"$("$TPROF" report small.pb.gz --value "$event" --json | jq -c .rows)" \
		"$("$TPROF" report small.pb.gz --json | jq -c .rows)"
	is 'no object is none, and not a function' "$("$TPROF" report cpu.pb -b object --json |
		jq -r '[.rows[].name] | join(" ")')" '[unknown]'
	check 'of other programs' "$TPROF" merge cpu.pb cpu.pb -o cpus.pb.gz
	is 'of other programs: the sums' "$("$TPROF" export cpus.pb.gz -f json |
		jq -r '[.functions[].weight] | sort | join(" ")')" '14 60 200'
	refuses 'different events' 2 'cpu.pb: its event is cpu, but that of the profiles before it is alloc' \
	"$TPROF" merge alloc.pb cpu.pb
	python3 make.py cpu-clock nanoseconds 5 >clock.pb
	refuses 'with a ledger and without' 2 'small.pb.gz: has a ledger, but the profiles before it have none' \
		"$TPROF" merge clock.pb small.pb.gz
else
	skip 'files of other programs' 'no python3 to make them'
fi
is 'what was refused left no file' "$(ls no.pb.gz 2>/dev/null)" ''
done_testing
