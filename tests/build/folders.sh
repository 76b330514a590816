#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Each folder of the library and of the command uses only itself and folders above it in the tables of docs/design.md.
# Checks the includes, and for the library the symbols of its objects, because a function may be declared elsewhere too.
. "${0%/*}/../lib/tap.sh"

sed -n 's/^| `\([a-z]*\)\/` | .*/\1/p' docs/design.md >"$TMP/libtprof"
sed -n 's/^| `cli\/\([a-z]*\)\/` | .*/\1/p' docs/design.md >"$TMP/cli"

# downward_includes DIRECTORY ORDER: prints each include of a header from a folder further down than the including file
downward_includes() {
	(cd "$1" && grep -Eo '#include +"[a-z]+/[a-z_0-9.]+' -r . --include='*.[ch]') |
		sed 's|^\./\([a-z]*\)/\([^:]*\):#include *"\([a-z]*\)/\(.*\)|\1 \3 \1/\2 includes \3/\4|' |
		awk 'NR == FNR { place[$1] = FNR; next }
			($2 in place) && place[$2] > place[$1] { print $3, $4, $5 }' "$2" -
}

for part in libtprof cli; do
	check "$part: docs/design.md lists its folders" [ "$(wc -l <"$TMP/$part")" -gt 8 ]
	is "$part: all of them" "$(sort "$TMP/$part")" "$(cd $part && ls -d -- */ | tr -d / | sort)"
	is "$part: no include goes down the table" "$(downward_includes $part "$TMP/$part")" ''
	# A private header of the same folder is included without the folder, except generated headers.
	is "$part: includes of the own folder do not name it" "$(cd $part && for folder in */; do
			grep -E "#include +\"$folder" -r "$folder" | grep -v '\.pb-c\.h"'
		done)" ''
done
mkdir -p "$TMP/tree/base" "$TMP/tree/session"
echo '#include "session/session.h"' >"$TMP/tree/base/array.c"
echo '#include "base/array.h"' >"$TMP/tree/session/session.c"
is 'an include that goes down is found' "$(downward_includes "$TMP/tree" "$TMP/libtprof")" \
	'base/array.c includes session/session.h'

# Lines "FOLDER SYMBOL" of defined symbols, and lines "FOLDER SYMBOL OBJECT" of used symbols
for folder in $(cat "$TMP/libtprof"); do
	nm -g --defined-only "$BUILD"/obj/libtprof/"$folder"/*.o |
		awk -v folder="$folder" 'NF == 3 { print folder, $3 }' >>"$TMP/defined"
	nm -gAu "$BUILD"/obj/libtprof/"$folder"/*.o | sed 's|.*/||' |
		awk -v folder="$folder" '{ sub(":.*", "", $1); print folder, $NF, $1 }' >>"$TMP/used"
done

# downward_uses ORDER: prints each object that uses a symbol of a folder further down
downward_uses() {
	awk 'FILENAME == ARGV[1] { place[$1] = FNR; next }
		FILENAME == ARGV[2] { home[$2] = $1; next }
		($2 in home) && place[home[$2]] > place[$1] { print $1 "/" $3, "uses", $2, "of", home[$2] "/" }' \
		"$1" "$TMP/defined" "$TMP/used"
}

is 'libtprof: no symbol that is used is further down the table' "$(downward_uses "$TMP/libtprof")" ''
tac "$TMP/libtprof" >"$TMP/reversed"
check 'in the reverse order many are' [ "$(downward_uses "$TMP/reversed" | wc -l)" -gt 100 ]
done_testing
