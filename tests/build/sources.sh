#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Checks rules for all sources: licences, includes, line lengths, and that every test runs.
. "${0%/*}/../lib/tap.sh"

files() {
	git ls-files "$@" 2>/dev/null || find "${@:-.}" -type f -not -path './.git/*' -not -path './build/*'
}

# bare FILE: documents and data that cannot have a comment, or whose licence is stated in the README
bare() {
	case $1 in
	LICENSES/* | VERSION | .gitignore | *.md | *.json | *.svg | *.png | *.txt) return 0 ;;
	esac
	return 1
}

files >"$TMP/files"
while read -r file; do
	# Symbolic links to directories are skipped: the files in the directory are checked.
	if [ ! -f "$file" ] || bare "$file" || head -n 5 "$file" | grep -q 'SPDX-License-Identifier:'; then
		continue
	fi
	echo "$file"
done <"$TMP/files" >"$TMP/unlicensed"
check 'there are files' test -s "$TMP/files"
is 'every source file names its licence' "$(cat "$TMP/unlicensed")" ''

xargs grep -Ihos 'SPDX-License-Identifier: [^*"\`]*' <"$TMP/files" | sed 's/.*: //' |
	grep -Eo '[A-Za-z]+[-A-Za-z0-9.]*[0-9A-Za-z]' | grep -vxE 'OR|AND|WITH' | sort -u >"$TMP/licences"
for licence in $(cat "$TMP/licences"); do
	check "text of $licence" test -s "LICENSES/$licence.txt"
done

# Test files must be executable, else they do not run.
is 'every test can be executed' "$(grep -E '^tests/(build|cli|fuzz|live|peer|vm/run)/[^/]*\.sh$' "$TMP/files" |
	while read -r file; do [ -x "$file" ] || echo "$file"; done)" ''

# Tests for no machine, or for a machine with icount, run only if a script in tests/vm/run names them.
is 'every guest test is run' "$(grep -lE 'vm: machines=(none|[^ ,]*-icount)( |$)' tests/vm/kmod/* |
	sed 's|.*/||; s|\.[a-z]*$||' | while read -r name; do
		grep -hv '^#' tests/vm/run/*.sh | grep -qw "$name" || echo "$name"
	done)" ''

# All headers in libtprof/ except the public ones are private.
find libtprof -name '*.h' ! -path 'libtprof/tprof*' | sed 's|.*/||' | sort >"$TMP/private"
for folder in cli examples; do
	is "$folder/ includes no private header of the library" \
		"$(for header in $(cat "$TMP/private"); do
			[ -n "$(find $folder -name "$header")" ] ||
				grep -lE "#include +[\"<](\.\./libtprof/|libtprof/)?([a-z]+/)?$header" -r $folder
		done 2>/dev/null)" ''
done
is 'the library includes nothing of the program' \
	"$(grep -lE '#include +"(\.\./)?cli/|curses\.h' -r libtprof)" ''
is 'the library does not print or exit' \
	"$(grep -nE '(^|[^a-z_>.])(printf|puts|perror|exit|_exit|abort)\(' -r libtprof --include='*.c' |
		grep -vE ':[ 	]*(/\*|\*)' | grep -v '^libtprof/[a-z/]*broker.c:[0-9]*:	_exit(0);$')" ''
# Only these files compute the new size of an array; they store it only after the allocation has succeeded.
is 'memory grows in lib/array and in cli/grow alone' \
	"$(grep -nE '(^|[^a-z_>.])realloc(array)?\(' -r libtprof cli examples --include='*.[ch]' |
		grep -vE '^(libtprof/(base/)?array|cli/base/grow)\.c:')" ''
# modpost of Linux 7.2 misreads file names with these prefixes in its lists, and the module does not build.
is 'no header of the module begins with source_ or deps_' \
	"$(cd kmod && ls | grep -E '^(source|deps)_.*\.h$')" ''
is 'no line of code is longer than 120 columns' \
	"$(grep -E '\.(c|h|sh|awk|mk)$' "$TMP/files" | while read -r file; do
		[ ! -e "$file" ] || expand "$file" | awk -v file="$file" 'length($0) > 120 { print file ":" NR }'
	done)" ''
done_testing
