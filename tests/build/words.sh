#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Documents, manual pages, comments of public headers and of the module, messages, and identifiers use no words that a
# reader who knows perf, BPF and pprof would not understand.
. "${0%/*}/../lib/tap.sh"

# The prose of documents, without code blocks and literals.
for file in README.md SECURITY.md CONTRIBUTING.md docs/*.md; do
	awk -v file="$file" '/^```/ { code = !code; next } /^    / || code { next }
		{ gsub(/`[^`]*`/, ""); print file ":" FNR ": " $0 }' "$file"
done >"$TMP/prose"
for file in man/*; do
	sed -n "s|^[^.]|$file: &|p" "$file"
done >>"$TMP/prose"

# Comments, without identifiers that contain an underscore.
for file in libtprof/tprof*.h include/*/*.h bpf/include/tprof/*.h kmod/*.[ch]; do
	awk -v file="$file" '/^ ?\/?\*/ || /\/\*/ {
		sub(/^.*\/\*/, ""); gsub(/[A-Za-z0-9]*_[A-Za-z0-9_]*/, ""); print file ":" FNR ": " $0 }' "$file"
done >"$TMP/comments"

# Messages are passed to many functions and are in tables, so all string literals that contain a blank are examined.
find libtprof cli -name '*.[ch]' -exec awk -f tests/lib/literals.awk {} + >"$TMP/messages"

check 'there is prose' [ "$(wc -l <"$TMP/prose")" -gt 2000 ]
check 'there are comments' [ "$(wc -l <"$TMP/comments")" -gt 1000 ]
check 'there are messages' [ "$(wc -l <"$TMP/messages")" -gt 1000 ]
while IFS='|' read -r of message; do
	check "there are messages of $of" grep -qF "$message" "$TMP/messages"
done <<'END'
error_set()|there is no event of this name
finding_missing()|the module tprof is not loaded
raw_damaged()|a samples record
pprof_damaged()|it is not a pprof message
log_warn()|side-band events (fork, exec, mmap) were lost: /proc is read again
the verifier explanations|a loop may be infinite
the remedies of losses|use a lower rate: -F, or --engine kmod
options|print at most this many rows of each table
END
cat >"$TMP/literals.c" <<'END'
a(X("no " /* "not" */
	"room\"" N "."), '"', "x", "y z"); /* "a b
	c d" */
END
is 'adjacent literals are one' "$(awk -f tests/lib/literals.awk "$TMP/literals.c" | paste -sd '|')" \
	'no room\".|y z'

# never WHY PATTERN EXAMPLE [EXCEPT]: none of the three files has a line that matches PATTERN, except lines that match
# EXCEPT; EXAMPLE, a line that matches, proves that PATTERN works
never() {
	is "$1" "$(cat "$TMP/prose" "$TMP/comments" "$TMP/messages" | grep -E "$2" | grep -vE "${4:-^$}" |
		head -n 8)" ''
	check "$1: it would be found" sh -c 'printf "%s\n" "$1" | grep -qE "$2"' sh "$3" "$2"
}

never 'a call stack is no chain' '\b([Cc]all[ -]chains?|[Cc]hains? of calls|way back)\b' 'docs/x.md:1: a call chain'
never 'samples are in the ledger, not in an account or in books' \
	'\b(the account of|accounted (as|for)|booked (as|under|with)|to book)\b' 'docs/x.md:1: it is booked as lost'
never 'capacity is no room' '\b([Nn]o room|[Mm]ore room|room for)\b' 'docs/x.md:1: there is no room'
# The exception is the user name `nobody`.
never 'somebody is named' '\b([Ww]hoever|[Nn]obody)\b' 'docs/x.md:1: nobody knows' 'root and nobody'
never 'sentences have a subject' \
	'(^|[.:*] +)(Who|That of|Whoever|What it|What is|What was|What has) [a-z]+ [a-z]+.*\.( |$)' \
	'docs/x.md:1: What was counted there is lost.'

# unwanted_names DIRECTORY...: prints the identifiers of C code that name a capacity or a ledger otherwise
unwanted_names() {
	grep -rnoiwE '([a-z0-9_]+_)?(rooms?|accounts?|booked)(_[a-z0-9_]+)?' "$@" --include='*.[ch]' | head -n 8
}

is 'identifiers: a capacity is no room, and a ledger no account' "$(unwanted_names libtprof cli bpf)" ''
mkdir "$TMP/code"
printf 'static int make_room(struct account *account)\n' >"$TMP/code/x.c"
is 'identifiers: they would be found' "$(unwanted_names "$TMP/code" | wc -l)" 3
done_testing
