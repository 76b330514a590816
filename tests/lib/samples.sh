# SPDX-License-Identifier: GPL-2.0-only
# samples DIRECTORY writes undamaged input files for each fuzzed reader, in a subdirectory for each. Needs tap.sh.

# sample READER NAME: saves standard input as an input file of the reader
sample() {
	mkdir -p "$samples/$1"
	cat >"$samples/$1/$2"
}

elf_samples() {
	sample elf spin <"$BUILD/workload/spin"
	sample elf spin_cxx <"$BUILD/workload/spin_cxx"
	strip -o "$TMP/stripped" "$BUILD/workload/spin" && sample elf stripped <"$TMP/stripped"
	{
		# Removes the section headers: clears e_shoff, e_shentsize, e_shnum and e_shstrndx.
		head -c 40 "$TMP/stripped" && printf '\0\0\0\0\0\0\0\0' &&
			tail -c +49 "$TMP/stripped" | head -c 10 && printf '\0\0\0\0\0\0' &&
			tail -c +65 "$TMP/stripped"
	} | sample elf headerless
	for form in 2 20; do
		cc -nostdlib -static -no-pie -s -DFORM=$form -o "$TMP/go" tests/unit/go_table.S ||
			bail 'cannot build go_table'
		sample elf go-$form <"$TMP/go"
	done
	sample cfi spin <"$BUILD/workload/spin"
	sample cfi throws <"$BUILD/workload/throws"
	sample lines spin_cxx <"$BUILD/workload/spin_cxx"
	for version in 4 5; do
		printf '%s\n' 'static inline int f(int i) { return i * 3; }' \
			'int g(int i) { return f(i) + f(i + 1); }' \
			'struct s { int i; }; int h(struct s *s) { { int k = g(s->i); return f(k); } }' >"$TMP/lines.c"
		cc -O2 -g -gdwarf-$version -ffile-prefix-map="$TMP=." -Wl,--build-id=none -shared -fPIC \
			-o "$TMP/lines.so" "$TMP/lines.c" || bail 'cannot build lines'
		sample lines dwarf-$version <"$TMP/lines.so"
	done
	for filter in "$BUILD"/filters/*.bpf.o; do
		sample filter "$(basename "$filter")" <"$filter"
	done
}

record_samples() {
	# PERF_RECORD_MMAP2 (10), 120 bytes, with a build id
	{
		printf '\012\0\0\0\002\100\170\0\001\0\0\0\001\0\0\0'
		printf '\0\0\100\0\0\0\0\0\0\020\0\0\0\0\0\0\0\0\0\0\0\0\0\0'
		printf '\024\0\0\0ABCDEFGHIJKLMNOPQRST\005\0\0\0\002\0\0\0/usr/bin/example'
		printf '\0\0\0\0\0\0\0\0\001\0\0\0\001\0\0\0\001\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0'
	} | sample record mmap2
	# PERF_RECORD_COMM (3), 48 bytes, of an exec
	{
		printf '\003\0\0\0\0\040\060\0\001\0\0\0\001\0\0\0example\0'
		printf '\001\0\0\0\001\0\0\0\001\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0'
	} | sample record comm
	# PERF_RECORD_FORK (7), 56 bytes
	{
		printf '\007\0\0\0\0\0\070\0\002\0\0\0\001\0\0\0\002\0\0\0\001\0\0\0\001\0\0\0\0\0\0\0'
		printf '\001\0\0\0\001\0\0\0\001\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0'
	} | sample record fork
}

# octal BYTES VALUE: prints the little-endian bytes of the value as octal escapes for printf
octal() {
	left=$1 value=$2
	while [ "$left" -gt 0 ]; do
		printf '\\%03o' $((value & 255))
		value=$((value >> 8)) left=$((left - 1))
	done
}

# trailer TIME: prints the sample_id fields at the end of each record
trailer() {
	octal 8 0
	octal 8 "$1"
	octal 8 0
}

# exec_record PID TIME, of a program named "program"
exec_record() {
	printf "$(octal 4 3)$(octal 2 8192)$(octal 2 48)$(octal 4 "$1")$(octal 4 "$1")program\\0$(trailer "$2")"
}

# task_record TYPE PID PARENT TIME: fork (7) or exit (4)
task_record() {
	printf "$(octal 4 "$1")$(octal 2 0)$(octal 2 56)$(octal 4 "$2")$(octal 4 "$3")$(octal 4 "$2")$(octal 4 "$3")"
	printf "$(octal 8 "$4")$(trailer "$4")"
}

# map_record PID PAGE PAGES INODE TIME: a mapping of /bin/one
map_record() {
	printf "$(octal 4 10)$(octal 2 2)$(octal 2 112)$(octal 4 "$1")$(octal 4 "$1")$(octal 8 $(($2 * 4096)))"
	printf "$(octal 8 $(($3 * 4096)))$(octal 8 0)$(octal 4 7)$(octal 4 7)$(octal 8 "$4")$(octal 8 0)"
	printf "$(octal 4 5)$(octal 4 2)/bin/one$(octal 8 0)$(trailer "$5")"
}

naming_samples() {
	{
		exec_record 1 1
		for page in 1 3 5 7 9 11; do
			map_record 1 $page 1 7 $((page + 1))
		done
		task_record 7 2 1 20
		map_record 2 0 12 8 21
		map_record 1 2 3 9 22
		task_record 4 2 1 23
		exec_record 1 24
		map_record 1 3 2 7 25
	} | sample naming fork
}

text_samples() {
	printf 'cpu/event=0x3c,umask=0x01,period=200000/' | sample event raw
	printf '_ZN4work5chainImE3hotEmmRKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE' | sample demangle cxx
	printf '_RNvNtCs1234_7mycrate3foo3barINtNtC3std3vec3VecReEE' | sample demangle rust
	printf '%s\n' '55d0a0e00000-55d0a0e02000 r-xp 00002000 fe:01 1234567                    /usr/bin/true' \
		'7f0000000000-7f0000001000 rwxp 00000000 00:00 0 ' \
		'7ffc1e5f9000-7ffc1e5fb000 r-xp 00000000 00:00 0                          [vdso]' \
		'400000-401000 r-xp 00000000 08:01 7 /tmp/two\012lines (deleted)' | sample maps maps
	sample stat stat </proc/self/stat
	sample stat status </proc/self/status
	printf '%s\n' '7f1200000000 40 LazyCompile:~hot /app/main.js:1' '0x7f1200000040 0x20 warm' 'nonsense' |
		sample perfmap map
	printf '%s\n' 'ffffffff81000000 T _stext' 'ffffffff81000040 t do_one' 'ffffffff810000a0 W do_two' \
		'ffffffffc0200000 t probe	[tprof]' 'ffffffffc0300000 t bpf_prog_6deef7357e7b4530_top	[bpf]' |
		sample ksyms kallsyms
}

profile_samples() {
	for profile in 'small' 'many 100'; do
		# shellcheck disable=SC2086 # words
		"$BUILD/cli/make_profile" $profile >"$TMP/packed" ||
			bail 'there is no make_profile: make unit builds it'
		sample gzip "${profile% *}" <"$TMP/packed"
		gzip -dc "$TMP/packed" | sample pprof "${profile% *}"
	done
	"$BUILD/cli/make_profile" raw >"$TMP/raw" || bail 'make_profile cannot make a raw one'
	sample raw raw <"$TMP/raw"
	# The reader `raw` corrects the checksums of damaged records; this reader sees wrong ones.
	sample gzip raw <"$TMP/raw"
}

samples() {
	samples=$1
	elf_samples
	record_samples
	naming_samples
	text_samples
	profile_samples
}
