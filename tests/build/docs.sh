#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Checks the documents: their filters compile and are accepted, their commands and links exist, every public function
# has a manual page, and the list of features is complete.
. "${0%/*}/../lib/tap.sh"
man3=$BUILD/man/man3

# blocks FILE: writes the C blocks of a document (Markdown or mdoc) that define a filter into $TMP/block-N.bpf.c
blocks() {
	rm -f "$TMP"/block-*
	awk -v out="$TMP/block-" '
		/^```c$/ || /^\.Bd -literal/ { inside = 1; text = ""; next }
		inside && (/^```$/ || /^\.Ed$/) {
			if (text ~ /TPROF_FILTER\(/) {
				file = out (++nr) ".bpf.c"
				printf "%s", text >file
				close(file)
			}
			inside = 0
		}
		inside { text = text $0 "\n" }' "$1"
}

# A block whose first line contains "Refused" shows a mistake: it must compile, and the check must refuse it.
judge() {
	object=${2%.c}.o
	check "$1: compiles" "${CLANG:-clang}" -g -O2 --target=bpf -Wall -Werror -Iinclude -Ibpf/include \
		-c "$2" -o "$object"
	if [ "$(id -u)" -ne 0 ]; then
		skip "$1: the kernel's word" 'needs root'
	elif head -n 1 "$2" | grep -q 'Refused'; then
		like "$1: is refused" "$("$TPROF" filter check "$object" 2>&1)" '^  engine perf: refused'
	else
		like "$1: is accepted" "$("$TPROF" filter check "$object" 2>&1)" '^  engine perf: accepted'
	fi
}

for file in README.md docs/filters.md man/tprof-filters.7; do
	blocks "$file"
	check "$file: has filters" test -e "$TMP/block-1.bpf.c"
	for block in "$TMP"/block-*.c; do
		number=${block##*block-}
		judge "$file: filter ${number%.bpf.c}" "$block"
	done
done

at_most 'README.md: lines' "$(wc -l <README.md)" 149
grep -Eo '`(sudo )?make [a-z-]+`|^    (sudo )?make [a-z-]+' README.md CONTRIBUTING.md docs/*.md |
	sed 's/.*make //; s/`//' |
	sort -u >"$TMP/targets"
check 'documents name make targets' test -s "$TMP/targets"
for target in $(cat "$TMP/targets"); do
	is "make $target: exists" "$(make -n "O=$BUILD" "$target" 2>&1 >/dev/null | grep 'No rule to make')" ''
done
grep -Ehro '(`|^    |sudo |^# )tprof [a-z]+' README.md CONTRIBUTING.md docs/*.md | sed 's/.*tprof //' |
	sort -u >"$TMP/commands"
check 'documents name commands' test -s "$TMP/commands"
for command in $(cat "$TMP/commands"); do
	check "tprof $command: exists" "$TPROF" help "$command"
done

# Links to files of the tree and to headings of documents
anchors() {
	sed -n 's/^#\{1,\} //p' "$1" | tr 'A-Z ' 'a-z-' | tr -cd 'a-z0-9\n-'
}
for file in *.md docs/*.md; do
	grep -o '](\([^)]*\))' "$file" | sed 's/^](//; s/)$//' | grep -v '^[a-z]*:' | while read -r link; do
		path=${link%%#*}
		[ -n "$path" ] && path=$(dirname "$file")/$path || path=$file
		if [ ! -e "$path" ]; then
			echo "$file: $link"
		elif [ "$link" != "${link#*#}" ] && ! anchors "$path" | grep -qx -e "${link#*#}"; then
			echo "$file: $link"
		fi
	done
done >"$TMP/broken"
is 'links resolve' "$(cat "$TMP/broken")" ''

is 'features.md: each number once' "$(sed -n 's/^| \([0-9][0-9]*\) |.*/\1/p' docs/features.md)" "$(seq 128)"
is 'features.md: the tests exist' \
	"$(grep -Eo '([a-z]+/)+[a-z0-9_]+\.(sh|c)' docs/features.md | sort -u | while read -r test; do
		[ -e "tests/$test" ] || echo "$test"
	done)" ''
is 'features.md: what works has a test' \
	"$(awk -F ' [|] ' '$4 ~ /^works/ && $5 !~ /[a-z]/' docs/features.md)" ''

# The manual page of the device describes every ioctl with its struct, and every record, outcome, reason, parameter and
# list.
device=man/tprof.4
uapi=include/uapi/tprof_device*.h
knows() {
	check "tprof.4: there are $1" test -n "$2"
	is "tprof.4: $1" "$(for word in $2; do grep -qw -e "$word" "$device" || echo "$word"; done)" ''
}
knows calls "$(grep -hEo 'TPROF_IOC_[A-Z_]+' $uapi | grep -v MAGIC | sort -u)"
knows 'structs of calls' "$(sed -n 's/.*_IOWR\{0,1\}(TPROF_IOC_MAGIC.*struct \([a-z_]*\))/\1/p' $uapi)"
knows records "$(grep -hEo 'TPROF_RECORD_[A-Z]+' $uapi | sort -u)"
knows 'outcomes and reasons' "$(sed '/^#define TPROF_COUNTINGS/q' include/uapi/tprof.h |
	sed -n 's/^	X([A-Z_]*,[ 	]*\([a-z_]*\),.*/\1/p')"
knows parameters "$(sed -n 's/^MODULE_PARM_DESC(\([a-z_]*\),.*/\1/p' kmod/*.c)"
knows lists "$(sed -n 's/.*debugfs_create_file("\([a-z]*\)".*/\1/p' kmod/debugfs.c)"
is 'tprof.4: the example is examples/device.c' "$(awk '
	/^\.Bd -literal/ { inside = 1; text = ""; next }
	/^\.Ed/ && inside { if (text ~ /int main/) printf "%s", text; inside = 0 }
	inside { gsub(/\\e/, "\\"); text = text $0 "\n" }' $device)" "$(tail -n +2 examples/device.c)"

# Limits and defaults in pages, documents and comments are those that the headers define.
# constant NAME: its value
constant() {
	sed -n "s/^#define $1[ 	]\{1,\}\([0-9]\{1,\}\).*/\1/p" libtprof/tprof*.h include/uapi/*.h include/tprof/*.h
}

# states FILE WORDS: the file has these words, on one line or several; numbers may have commas
states() {
	sed 's/^ \* *//; s/\([0-9]\),\([0-9]\)/\1\2/g' "$1" | tr '\n' ' ' | tr -s ' ' >"$TMP/words"
	check "${1##*/}: $2" grep -qF -e "$2" "$TMP/words"
}

rate_default=$(constant TPROF_RATE_HZ_DEFAULT) rate_max=$(constant TPROF_RATE_HZ_MAX)
frames=$(constant TPROF_STACK_FRAMES) frames_min=$(constant TPROF_STACK_MIN_FRAMES)
frames_max=$(constant TPROF_STACK_MAX_FRAMES)
copy_min=$(constant TPROF_COPY_MIN) copy_max=$(constant TPROF_COPY_MAX)
copy_default=$(sed -n 's/^TPROF_COPIES(\([0-9]*\)).*/\1/p' bpf/filters/dwarf.bpf.c)
max_events=$(constant TPROF_EVENTS_MAX)
max_cgroups=$(constant TPROF_SCOPE_MAX_CGROUPS) ancestors=$(constant TPROF_SCOPE_MAX_ANCESTORS)
is 'limits and defaults are found' "$(echo "$rate_default" "$rate_max" "$frames" "$frames_min" "$frames_max" \
	"$copy_min" "$copy_max" "$copy_default" "$max_events" "$max_cgroups" "$ancestors" | wc -w)" 11
for page in record run top; do
	states man/tprof-$page.1 "Samples per second on each CPU, 1 to $rate_max. Default: $rate_default."
	states man/tprof-$page.1 "The maximum depth of a call stack, $frames_min to $frames_max. Default: $frames."
done
states man/tprof-record.1 "a multiple of 8 from $copy_min to $copy_max. Default: $copy_default."
states man/tprof-filters.7 "a multiple of 8 from $copy_min to $copy_max;"
states docs/guide.md "The default is $rate_default samples per second and CPU."
states docs/guide.md "\`--max-stack $frames_max\`"
states docs/library.md "$rate_default Hz"
states docs/design.md "($ancestors generations)"
states docs/filters.md "A stack has at most $frames frames;"
states bpf/include/tprof/stack.bpf.h "$frames frames by default"
states libtprof/tprof.h "1 to $rate_max; 0: $rate_default unless @period is set"
states libtprof/tprof.h "for clock events in nanoseconds, at least $(constant TPROF_MIN_TIMER_NS)."
states libtprof/tprof.h "each with its subtree; NULL: all. At most $max_cgroups"
states libtprof/tprof.h "E2BIG (more than $max_cgroups cgroups, or more than $max_events events)"
states libtprof/tprof.h "only threads of this name, 1 to $(($(constant TPROF_COMM_LEN) - 1)) bytes"
states libtprof/tprof_filter.h "@frames: $frames_min to $frames_max; the default is $frames"

is 'tprof-export.1: the formats are those that there are' \
	"$(sed -n '/^\.Ss Formats/,/^\.El/s/^\.It Cm //p' man/tprof-export.1 | sort)" \
	"$("$TPROF" list formats | sed 's/ .*//' | sort)"
if [ "$(id -u)" -eq 0 ]; then
	check 'filters.md: the columns of tprof list sessions' \
		grep -qxF -e "$("$TPROF" list sessions | head -n 1)" docs/filters.md
else
	skip 'filters.md: the columns of tprof list sessions' 'needs root'
fi

check 'make man' make "O=$BUILD" man
sed -n 's/^\t\t\(tprof_.*\);$/\1/p' libtprof/libtprof.map | while read -r function; do
	page=$man3/$function.3
	[ -s "$page" ] && target=$(sed 's/^\.so man3/./' "$page") && grep -q "^\.Fo $function\$" "$man3/$target" ||
		echo "$function"
done >"$TMP/pageless"
check 'the library exports functions' grep -q tprof_session__open libtprof/libtprof.map
is 'every public function has a page' "$(cat "$TMP/pageless")" ''

if command -v mandoc >/dev/null; then
	for page in man/*.[1-9] $(grep -L '^\.so ' "$man3"/*.3); do
		is "${page##*/}: mandoc finds nothing" \
			"$(mandoc -T lint -W warning "$page" | grep -v 'unusual Xr order')" ''
	done
else
	skip 'mandoc' 'no mandoc'
fi
done_testing
