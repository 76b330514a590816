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

is 'features.md: each number once' "$(sed -n 's/^| \([0-9][0-9]*\) |.*/\1/p' docs/features.md)" "$(seq 118)"
is 'features.md: the tests exist' \
	"$(grep -Eo '([a-z]+/)+[a-z0-9_]+\.(sh|c)' docs/features.md | sort -u | while read -r test; do
		[ -e "tests/$test" ] || echo "$test"
	done)" ''
is 'features.md: what works has a test' \
	"$(awk -F ' [|] ' '$4 ~ /^works/ && $5 !~ /[a-z]/' docs/features.md)" ''

# The manual page of the device describes every ioctl with its struct, and every record, outcome, reason, parameter and
# list.
device=man/tprof.4
uapi=include/uapi/tprof_device.h
knows() {
	check "tprof.4: there are $1" test -n "$2"
	is "tprof.4: $1" "$(for word in $2; do grep -qw -e "$word" "$device" || echo "$word"; done)" ''
}
knows calls "$(grep -Eo 'TPROF_IOC_[A-Z_]+' $uapi | grep -v MAGIC | sort -u)"
knows 'structs of calls' "$(sed -n 's/.*_IOWR\{0,1\}(TPROF_IOC_MAGIC.*struct \([a-z_]*\))/\1/p' $uapi)"
knows records "$(grep -Eo 'TPROF_RECORD_[A-Z]+' $uapi | sort -u)"
knows 'outcomes and reasons' "$(sed '/^#define TPROF_COUNTINGS/q' include/uapi/tprof.h |
	sed -n 's/^	X([A-Z_]*,[ 	]*\([a-z_]*\),.*/\1/p')"
knows parameters "$(sed -n 's/^MODULE_PARM_DESC(\([a-z_]*\),.*/\1/p' kmod/*.c)"
knows lists "$(sed -n 's/.*debugfs_create_file("\([a-z]*\)".*/\1/p' kmod/debugfs.c)"
is 'tprof.4: the example is examples/device.c' "$(awk '
	/^\.Bd -literal/ { inside = 1; text = ""; next }
	/^\.Ed/ && inside { if (text ~ /int main/) printf "%s", text; inside = 0 }
	inside { gsub(/\\e/, "\\"); text = text $0 "\n" }' $device)" "$(tail -n +2 examples/device.c)"

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
