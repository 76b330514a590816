#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# `tprof report` on a terminal shows rows that open into trees, with the same contents as its text and its JSON.
. "${0%/*}/../lib/cli.sh"
. "${0%/*}/../lib/screen.sh"

"$MAKE_PROFILE" small >"$TMP/small.pb.gz"
"$MAKE_PROFILE" small '漢字漢字' >"$TMP/wide.pb.gz"
"$MAKE_PROFILE" flat >"$TMP/flat.pb.gz"
"$MAKE_PROFILE" many 100000 >"$TMP/many.pb.gz"

# browse COLUMNS LINES PROFILE [OPTION...]
browse() {
	browse_columns=$1 browse_lines=$2 browse_of=$3
	shift 3
	terminal "$browse_columns" "$browse_lines" "$TPROF report -i $TMP/$browse_of.pb.gz $*"
}

# The line below the first row
below() {
	screen | sed -n 5p
}

browse 100 24 small
shows 'rows' '^> 65.00%  65.00% +39  \+ hot<int, char>\(x\) +app'
like 'head: engine, event, rate' "$(screen | head -n 1)" '^ perf cpu-clock 997 Hz .* 67 samples  lost 256'
like 'head: the file and what became of the event' "$(screen | sed -n 2p)" 'small.pb.gz, 12.3 s.* cycles -> cpu-clock: '
keys Enter
shows 'Enter: opens' '^ +50.00% +30      main +app'
like 'callers, where there are more' "$(screen)" '^ +15.00% +9    \+ hot<int, char>\(x\) +app'
keys Enter
comes vfs_read below
like 'Enter: closes' "$(below)" 'vfs_read'

# The whole tree below main() has the same shares and names on the screen and in JSON.
keys s
shows 's: by what it called, too' '^>  0.00%  88.33% +0    main'
keys c
shows 'c: callees' 'FUNCTION, with callees'
shows 'c: what has none is not marked' '^   6.67%   6.67% +4    ext4_read'
keys e
shows 'e: opens everything' '^ +15.00% +9        hot<int, char>'
"$TPROF" report -i "$TMP/small.pb.gz" --json -g callees -s total --percent-limit 0 | jq -r '
	def lines: (.branches[] | . as $branch | (.run[] | "\($branch.percent) \(.name)"), lines),
		(select(.ended.weight > 0 and (.branches | length) > 0) |
			"\(.ended.percent) [self]");
	.rows[] | select(.name == "main").callees | lines' |
	awk '{ share = $1; sub(/^[^ ]* /, ""); printf "%.2f%% %s\n", share, $0 }' | sort >"$TMP/wanted"
screen | sed -n 's/^  \{9,\}\([0-9.]*%\) *[0-9]*  *\([-+] \)\{0,1\}\(.*\)$/\1 \3/p' | sed 's/   *.*//' |
	sort >"$TMP/got"
is 'the tree is that of the JSON' "$(cat "$TMP/got")" "$(cat "$TMP/wanted")"
check 'the tree has eight lines' test "$(wc -l <"$TMP/wanted")" -eq 8
keys j j Left
shows 'left: to what it is below' '^> +65.00% +39    - hot'
keys Left
shows 'left: closes' '^> +65.00% +39    \+ hot'
keys Home E Enter
shows 'E: closes everything' '^ +65.00% +39    \+ hot'
keys c
shows 'c: back to callers, the row stays' '^>  0.00%  88.33% +0    main'
keys c
shows 'c: what was open is open' '^>  0.00%  88.33% +0  - main'

keys / r e a d
shows '/: what has it' '^> 13.33%  20.00% +8  \+ vfs_read'
like '/: the rest is summed up' "$(screen)" '^  80.00% +48    \[5 more rows\]'
keys Enter s
comes 'ext4_read' below
like '/: kept while other things are chosen' "$(below)" '^   6.67%   6.67% +4    ext4_read'
keys Escape
shows 'Esc: all' ' hot<int'

keys o
shows 'o: by process' '^> 75.00% .* app \(7\)'
keys Enter
shows 'o: why there is nothing to open' 'only functions, lines and objects have callers'
keys h
shows 'h: help' 'Enter +open or close'
keys h l
shows 'l: ledger' 'engine_missed +[0-9]'
keys l
resize 40 6
shows 'narrow: shares and names' '^> 75.00%  75.00%    app \(7\) *$'
at_most 'narrow: lines fit' "$(screen | wc -L)" 40
resize 20 3
shows 'too small for a while: says so' 'The terminal is'
resize 100 24
shows 'too small for a while: comes back' '^> 75.00% .* app \(7\)'
keys q
ends 'q: ends with 0' 0
is 'q: nothing on stderr' "$(cat "$TMP/stderr")" ''

browse 100 24 small -b line
shows 'by line' '  LINE, with callers +OBJECT'
like 'by line: rows open' "$(screen)" '^> 65.00%  65.00% +39  \+ hot<int, char>.* app'
keys o
shows 'o: behind the last comes the first' '  FUNCTION, with callers'

browse 60 12 wide -b process
shows 'wide characters' '漢字漢字 \(7\)'
keys h
shows 'wide characters below a box' '┌|lqq|Keys'
keys h
shows 'wide characters as before' '漢字漢字 \(7\)'
keys C-c
ends 'Ctrl-C: ends with 0' 0

browse 100 24 flat
shows 'without call stacks: rows' 'hot<int, char>'
keys Enter
shows 'without call stacks: says so' 'no call stacks'

# "ns::Worker<int, N>::step(char const*)" is wider than this screen.
browse 44 20 many -s total
shows 'a long name is cut' 'ns::Worker<int, [0-9]+>::(…|~)|ns::Worker<i[^ ]*(…|~)'
keys i
shows 'i: all of it' 'ns::Worker<int, [0-9]+>::step\('
shows 'i: and its numbers' '33.95%, [0-9]+ samples, total'
keys i q
ends 'i: closed again' 0

# A name that is longer than the screen is marked as cut, and its numbers stay visible.
"$MAKE_PROFILE" small "$(printf %02600d 0)" >"$TMP/long.pb.gz"
browse 80 24 long -b process
shows 'a name longer than the screen: rows' '^> 64.29%'
keys j i
shows 'a name longer than the screen: its numbers' '14.29%, 10 samples, self'
like 'a name longer than the screen: is cut' "$(screen | tail -n 4)" '0(…|~) +(│|x)'
keys i
shows 'a name longer than the screen: closed again' '^> 14.29%'
keys k i
shows 'a name that fits: its numbers' '64.29%, 45 samples, self'
is 'a name that fits: is whole' "$(screen | grep -A 2 'samples, self' | grep -Ec '…|~')" 0
keys i q
ends 'a name longer than the screen: ends' 0

# 2,500,000 branches: only opened rows are split, and opening everything is limited.
browse 100 24 many -s total -g callees
shows 'many stacks: rows' '^> .* \+ ns::Worker'
keys Enter
shows 'many stacks: a row is open' '^> .* - ns::Worker'
keys e
shows 'many stacks: not everything at once' 'lines are open; the rest stays closed'
keys End
shows 'many stacks: the last row' '^> +0.00% +0.00% '
keys E c Home
shows 'many stacks: callers' 'FUNCTION, with callers'

terminal 100 24 "TERM=vt220 $TPROF report -i $TMP/small.pb.gz"
shows 'a terminal without colours' '^> 65.00%'
is 'none are used' "$(coloured)" 0
terminal 100 24 "NO_COLOR=1 $TPROF report -i $TMP/small.pb.gz"
shows 'NO_COLOR' '^> 65.00%'
is 'NO_COLOR: none' "$(coloured)" 0
browse 100 24 small
shows 'colours' '^> 65.00%'
check 'colours on a terminal that has them' test "$(coloured)" -gt 0

# When a terminal disappears, only processes in its session get SIGHUP; a process of another session must detect the end
# of its input.
terminal 100 24 "setsid sh -c 'echo \$\$ >$TMP/session; exec $TPROF report -i $TMP/small.pb.gz'"
shows 'a terminal that is lent: rows' '^> 65.00%'
session=$(cat "$TMP/session")
at_exit "kill $session 2>/dev/null"
on_tmux kill-session -t view
is_over() { ! grep -q . "/proc/$session/cmdline"; }
check 'a terminal that is lent: ends when it goes away' await is_over

# --stdio prints text on a terminal too.
"$TPROF" report -i "$TMP/small.pb.gz" -g callers >"$TMP/text" </dev/null
terminal 160 50 "$TPROF report -i $TMP/small.pb.gz -g callers --stdio"
ends '--stdio: ends' 0
is '--stdio: the text of a pipe' "$(on_tmux capture-pane -t view -p -J | sed 's/ *$//' | sed '/./,$!d')" \
	"$(sed 's/ *$//' "$TMP/text")"
terminal 100 50 "$TPROF report -i - <$TMP/small.pb.gz"
ends 'nobody to press keys: ends' 0
like 'nobody to press keys: text' "$(screen)" '^# samples 294'
terminal 100 50 "$TPROF report -i $TMP/small.pb.gz | cat"
ends 'a pipe: ends' 0
like 'a pipe: text' "$(screen)" '^# samples 294'
browse 20 5 small
ends 'too small: ends' 2
like 'too small: what to do' "$(cat "$TMP/stderr")" '^hint: .*--stdio'
terminal 100 24 "TERM=unheard-of $TPROF report -i $TMP/small.pb.gz"
ends 'a terminal that nobody knows: ends' 4
like 'a terminal that nobody knows: what to do' "$(cat "$TMP/stderr")" '^hint: .*--stdio'
done_testing
