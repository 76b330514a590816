# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=x86-64 all=x86-64 seconds=240
# Filter objects with randomly changed bytes, the same in each run, on both engines: each runs, or is refused with an
# error message, and leaves nothing behind. hostile_rounds= is the number of rounds, hostile_seed= the seed.
. "${0%/*}/../lib/live.sh"

rounds=${hostile_rounds:-4}

# left: prints the numbers of all BPF programs, maps and links
left() {
	echo "$(bpftool prog show | grep -c '^[0-9]') $(bpftool map show | grep -c '^[0-9]') $(bpftool link show |
		grep -c '^[0-9]')"
}

# places SIZE: prints offsets in a file, with a new byte in octal. Programs are at the beginning of the file, BTF
# follows.
places() {
	awk -v size="$1" -v rounds="$rounds" -v seed="${hostile_seed:-1}" 'function draw(limit) {
			x = x * 16807 % 2147483647
			return x % limit
		}
		BEGIN {
			x = size + seed
			while (rounds--)
				printf "%d %03o\n", draw(rounds % 2 ? size : 4096), draw(256)
		}'
}

# judge NAME: checks the run that has ended with $status
judge() {
	case $status in
	0 | 1 | 2 | 4) ;;
	*)
		echo "$1: exit code $status: $(head -n 3 "$TMP/stderr")"
		return
		;;
	esac
	[ $status -eq 0 ] || head -n 1 "$TMP/stderr" | grep -q '^tprof: .' || echo "$1: exit code $status and no word"
}

# Detached filters are freed after an RCU grace period, also those of the test before.
nothing_is_left() { [ "$(left)" = '0 0 0' ]; }
await nothing_is_left
for name in top stacks; do
	object=$BUILD/filters/$name.bpf.o
	for engine in perf kmod; do
		places "$(wc -c <"$object")" >"$TMP/places"
		ran=0 refused=0
		: >"$TMP/wrong"
		while read -r at byte; do
			cp "$object" "$TMP/hostile.bpf.o"
			printf "\\$byte" | dd of="$TMP/hostile.bpf.o" bs=1 seek="$at" conv=notrunc 2>/dev/null
			timeout 60 "$TPROF" run --engine $engine --json --duration 0.05 "$TMP/hostile.bpf.o" \
				>"$TMP/stdout" 2>"$TMP/stderr" </dev/null
			status=$?
			judge "byte $at is \\$byte" >>"$TMP/wrong"
			if [ $status -eq 0 ]; then ran=$((ran + 1)); else refused=$((refused + 1)); fi
		done <"$TMP/places"
		is "$name on $engine: each runs or is refused with a sentence" "$(cat "$TMP/wrong")" ''
		is "$name on $engine: all were tried" $((ran + refused)) "$rounds"
		diag "$name on $engine: $ran ran, $refused were refused"
	done
done
await nothing_is_left
is 'no program, map or link is left' "$(left)" '0 0 0'

done_testing
