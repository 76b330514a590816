#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# `tprof flame`: the data of the page adds up; the page draws, zooms, searches and handles keys without error.
. "${0%/*}/../lib/cli.sh"
here=${0%/*}

"$MAKE_PROFILE" small >"$TMP/small.pb.gz"
"$MAKE_PROFILE" flat >"$TMP/flat.pb.gz"
"$MAKE_PROFILE" small '</script><b>"&' >"$TMP/hostile.pb.gz"
"$MAKE_PROFILE" many 100000 >"$TMP/many.pb.gz"
"$MAKE_PROFILE" events >"$TMP/events.pb.gz"

# holds FILE: the data has name, samples, weight and number of children for each box. Prints the number of boxes that
# weigh less than their children.
holds() {
	page_data "$1" | jq -r '[.nodes as $n | range(0; $n | length; 4) | {w: $n[. + 2], k: $n[. + 3]}] as $boxes |
		def behind(i): reduce range(0; $boxes[i].k) as $k ({at: (i + 1), sum: 0};
			{sum: (.sum + $boxes[.at].w), at: behind(.at).at});
		[range(0; $boxes | length) | select(behind(.).sum > $boxes[.].w)] | length'
}

for profile in small flat hostile many; do
	check "$profile: a page" "$TPROF" flame -i "$TMP/$profile.pb.gz" -o "$TMP/$profile.html"
	check "$profile: a picture" "$TPROF" flame -i "$TMP/$profile.pb.gz" -o "$TMP/$profile.svg"
	is "$profile: nothing is fetched from anywhere" \
		"$(grep -Eo '(src|href)=|@import|url\(|https?://[^"]*' "$TMP/$profile.html" "$TMP/$profile.svg" |
		grep -v 'http://www.w3.org/2000/svg$')" ''
	check "$profile: the picture is XML" python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' \
		"$TMP/$profile.svg"
	is "$profile: all is as heavy as the profile" "$(page_data "$TMP/$profile.html" | jq -r '.nodes[2]')" \
		"$("$TPROF" report -i "$TMP/$profile.pb.gz" --json | jq -r .total.weight)"
	is "$profile: the ledger is along" "$(page_data "$TMP/$profile.html" | jq -r '.ledger[0][1]')" \
		"$("$TPROF" report -i "$TMP/$profile.pb.gz" --json | jq -r .ledger.fired)"
done
is 'small: boxes hold what is below them' "$(holds "$TMP/small.html")" 0
is 'small: a name is what it is' "$(page_data "$TMP/hostile.html" | jq -r '.names[][0] | select(test("script"))')" \
	'</script><b>"&'
# The page of 100,000 call stacks must be small enough for a phone.
at_most 'many: size of the page' "$(wc -c <"$TMP/many.html")" 10000000
at_most 'many: boxes' "$(page_data "$TMP/many.html" | jq -r '.nodes | length / 4')" 80000
is 'boxes that are left out are in others' "$(page_data "$TMP/many.html" | jq -r '.kinds[.names[-1][2]] as $kind |
	(.names | length - 1) as $rest | [.nodes as $n | range(0; $n | length; 4) | select($n[.] == $rest)] |
	length > 0 and $kind == "rest"')" true
# Most boxes have the same weight. As many are drawn as the limit allows, with their callers, and two boxes sum up the
# others: the rest of one call stack, and all other call stacks.
for size in '300 35 svg' '1000 45 html' '2000 8 svg'; do
	# shellcheck disable=SC2086 # words
	set -- $size
	"$MAKE_PROFILE" deep "$1" "$2" >"$TMP/deep.pb.gz"
	"$TPROF" flame -i "$TMP/deep.pb.gz" -o "$TMP/deep$1.$3"
done
# shares_at Y FILE: prints the sum of the shares of the boxes in a row of a picture, in percent
shares_at() {
	sed -n "s/.*, \([0-9.]*\) %<.title><rect .* y=\"$1\" .*/\1/p" "$2" | awk '{ sum += $1 } END { print sum + 0 }'
}
is 'equal boxes: a picture has as many as it can' "$(grep -c '<title>' "$TMP/deep300.svg")" 8003
is 'equal boxes: a picture says what it leaves out' \
	"$(grep -A 1 '<title>\[smaller ones\]' "$TMP/deep300.svg" | sed -n 's/^\([0-9.]* us\),.*/\1/p' | paste -sd ,)" \
	'1.0 us,64.0 us'
within 'equal boxes: the row below main is as wide as main' "$(shares_at 116 "$TMP/deep300.svg")" 100 1
is 'equal boxes: a page has as many as it can' \
	"$(page_data "$TMP/deep1000.html" | jq -r '.nodes | length / 4')" 40003
is 'equal boxes: they hold what is below them' "$(holds "$TMP/deep1000.html")" 0
is 'boxes that are all too narrow are in one' \
	"$(grep -c '<title>' "$TMP/deep2000.svg") $(shares_at 116 "$TMP/deep2000.svg")" '4 100'
# Samples that did not fit into a table count as lost.
for nr in 0 9; do
	"$MAKE_PROFILE" full $nr >"$TMP/full.pb.gz"
	"$TPROF" flame -i "$TMP/full.pb.gz" -o "$TMP/full.html"
	"$TPROF" flame -i "$TMP/full.pb.gz" -o "$TMP/full.svg"
	wanted='60 samples, none lost'
	[ $nr = 0 ] || wanted="$nr of 69 samples in scope lost"
	is "$nr samples found a table full: the page" "$(page_data "$TMP/full.html" |
		jq -r '"\(.lost): \(.loss)"')" "$nr: $wanted"
	like "$nr samples found a table full: the picture" "$(cat "$TMP/full.svg")" ", $wanted</text>"
	is "$nr samples found a table full: what mends it, on the page" "$(page_data "$TMP/full.html" |
		jq -r '.warning' | grep -c -- '13.0 % table_full (use larger tables: --table-entries')" $((nr / 9))
	is "$nr samples found a table full: and in the picture" \
		"$(grep -c -- '13.0 % table_full (use larger tables: --table-entries' "$TMP/full.svg")" $((nr / 9))
done
check 'a difference' "$TPROF" flame -i "$TMP/hostile.pb.gz" --diff "$TMP/small.pb.gz" -o "$TMP/diff.html"
is 'a difference: what the boxes weighed before' "$(page_data "$TMP/diff.html" |
	jq -r '[.change.total, .change.before[0],
	(.change.before | length) - (.nodes | length / 4)] | join(" ")')" '60000 60000 0'

# A title may have any bytes. It is truncated without splitting a UTF-8 character.
title=$(printf '%0254dЖЖ\377' 0)
for kind in html svg; do
	"$TPROF" flame -i "$TMP/small.pb.gz" --title "$title" -o "$TMP/title.$kind"
	check "a title cut in half: $kind" iconv -f UTF-8 -t UTF-8 "$TMP/title.$kind"
done

# A picture has a legend of its colours above the boxes.
"$TPROF" flame -i "$TMP/small.pb.gz" --color object -o "$TMP/object.svg"
"$TPROF" flame -i "$TMP/small.pb.gz" --color object -o "$TMP/object.html"
keys() {
	sed -n 's/.*class="key \([^"]*\)".*>\([^<]*\)<\/text>/\1 \2/p' "$1" | paste -sd ,
}
is 'a picture: the names of its colours' "$(keys "$TMP/small.svg")" 'user user,kernel kernel,process process,mark mark'
like 'a picture by object: the names of its colours' "$(keys "$TMP/object.svg")" '^o0 app,o1 \[kernel\],o2 '
is 'a picture by object: boxes have the colour of their object' \
	"$(grep -A 1 '<title>.*, app$' "$TMP/object.svg" | grep -o 'class="[^"]*"' | sort -u)" 'class="o0"'
is 'a page by object' "$(page_data "$TMP/object.html" | jq -r .colours)" object

# Several events: a page has them all, unless one is requested; a picture has the first.
"$TPROF" flame -i "$TMP/events.pb.gz" -o "$TMP/events.html" 2>"$TMP/stderr"
is 'several events: nothing is said' "$?$(cat "$TMP/stderr")" 0
is 'several events: a page has each, as it is alone' "$(page_data "$TMP/events.html" |
	jq -c '[., .others[]] | map([.event, .nodes[2], .ledger[0][1]])')" \
	"$(for event in cpu-clock page-faults; do
		"$TPROF" report -i "$TMP/events.pb.gz" --value $event --json |
			jq -c '[.event, .total.weight, .ledger.fired]'
	done | jq -sc .)"
"$TPROF" flame -i "$TMP/events.pb.gz" --value page-faults -o "$TMP/one.html" 2>"$TMP/stderr"
is 'several events: a page of one' "$(page_data "$TMP/one.html" | jq -c '[.event, .others]')" '["page-faults",null]'
"$TPROF" flame -i "$TMP/events.pb.gz" --diff "$TMP/events.pb.gz" -o "$TMP/one.html" 2>"$TMP/stderr"
is 'several events: a difference has each: nothing is said' "$?$(cat "$TMP/stderr")" 0
is 'several events: a difference: what the boxes of each weighed before' "$(page_data "$TMP/one.html" |
	jq -c '[., .others[]] | map([.event, .change.total == .nodes[2], .change.before[0] == .nodes[2]])')" \
	'[["cpu-clock",true,true],["page-faults",true,true]]'
"$TPROF" flame -i "$TMP/events.pb.gz" --value page-faults --diff "$TMP/events.pb.gz" -o "$TMP/one.html"
is 'several events: a difference of one' "$(page_data "$TMP/one.html" |
	jq -c '[.event, .others, .change.total == .nodes[2]]')" '["page-faults",null,true]'
refuses 'several events: a difference to a file with one' 2 'small.pb.gz: has no event page-faults to compare with' \
	"$TPROF" flame -i "$TMP/events.pb.gz" --diff "$TMP/small.pb.gz" -o "$TMP/a.html"
refuses 'no such colours' 2 "'rainbow' is not known" \
	"$TPROF" flame -i "$TMP/small.pb.gz" --color rainbow -o "$TMP/a.svg"
refuses 'no output' 2 '--output: the option is missing' "$TPROF" flame -i "$TMP/small.pb.gz"
refuses 'an output of no known kind' 2 'the suffix is neither \.html nor \.svg' \
	"$TPROF" flame -i "$TMP/small.pb.gz" -o "$TMP/a.png"
refuses 'a difference as a picture' 2 '--diff: needs a page' \
	"$TPROF" flame -i "$TMP/small.pb.gz" --diff "$TMP/small.pb.gz" -o "$TMP/a.svg"
gzip -dc "$TMP/small.pb.gz" | sed 's/cpu-clock$/cpu-tlock/; s/tprof.event: cpu-clock/tprof.event: cpu-tlock/' |
	gzip >"$TMP/event.pb.gz"
refuses 'a difference to another event' 2 'cpu-clock and cpu-tlock: profiles of different events' \
	"$TPROF" flame -i "$TMP/event.pb.gz" --diff "$TMP/small.pb.gz" -o "$TMP/a.html"
refuses 'no profile' 2 'No such file' "$TPROF" flame -i "$TMP/none" -o "$TMP/a.html"
refuses 'no place' 2 'No such file' "$TPROF" flame -i "$TMP/small.pb.gz" -o "$TMP/none/a.html"

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
if [ -z "$browser" ]; then
	skip 'in a browser' 'needs chromium (sudo make setup installs it)'
	done_testing
fi

# This script comes first, so that it catches the errors of all others. A headless browser requests no animation frames,
# so a timer replaces them.
cat >"$TMP/first.html" <<'END'
<script>
window.complaints = [];
addEventListener("error", (event) => complaints.push(event.message));
window.requestAnimationFrame = (draw) => setTimeout(draw, 16);
</script>
END

# browse PAGE: runs the page with flame_drive.js in a browser; the script prints one line for each check
browse() {
	{
		sed -e '/^<\/body>/,$d' -e "/^<meta charset/r $TMP/first.html" "$1.html"
		echo '<script>'
		cat "$here/flame_drive.js"
		echo '</script></body></html>'
	} >"$1.driven.html"
	timeout 120 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$TMP/browser" \
		--window-size=1200,700 --virtual-time-budget=20000 --dump-dom "file://$1.driven.html" \
		2>"$TMP/browser.log" |
		sed -n '/^drive: /{s/^drive: //; s/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g; p;}'
}

browse "$TMP/small" >"$TMP/small.said"
[ -s "$TMP/small.said" ] || diag "$(tail -n 5 "$TMP/browser.log")"
# said WHAT NAME VALUE
said() {
	is "browser: $1" "$(sed -n "s/^$2=//p" "$TMP/small.said")" "$3"
}
said 'the page is drawn' ready "$(page_data "$TMP/small.html" | jq -r '.nodes | length / 4')"
said 'boxes of the kernel have another colour' colours 'user kernel page differ'
said 'a click zooms' click read
said 'what is zoomed into takes the width of the page' wide 'all of it'
said 'the way back is shown' path 'all,app,main,read'
said 'a step back' back main
said 'Escape resets' escape all
said 'search finds the weight of what matches, once' search 85.00
said 'the button resets' reset ''
said 'search finds a name that is a pattern of another' literal 65.00
said 'search finds a name in brackets, and nothing else' brackets 5.00
said 'half a pattern is no error' half ok
said 'keys move and zoom' keys main
said 'Backspace zooms out' backspace app
said 'arrows move between neighbours' sideways 'read,hot<int, char>(x)'
said 'slash searches' slash search
said 'colours by object' objects 'app,[kernel]'
said 'the pointer tells what a box is' tip 'main,app, user'
said 'the ledger opens' ledger 294
said 'on paper: all rows' paper "$(page_data "$TMP/small.html" |
	jq -r '.nodes as $n | def deep(i): reduce range(0; $n[i * 4 + 3]) as $k ({at: (i + 1), deep: 0};
		deep(.at) as $below | {at: $below.at, deep: ([.deep, $below.deep] | max)}) | .deep += 1;
	deep(0).deep')"
said 'after printing: the screen' screen 'as before'
said 'no complaint' complaints ''
browse "$TMP/hostile" >"$TMP/small.said"
said 'names do not become parts of the page' complaints ''
said 'names do not become elements' bold 0
browse "$TMP/many" >"$TMP/small.said"
said '100,000 stacks are drawn' ready "$(page_data "$TMP/many.html" | jq -r '.nodes | length / 4')"
said '100,000 stacks: no complaint' complaints ''
said 'one event: no choice' choice hidden
browse "$TMP/events" >"$TMP/small.said"
said 'several events: the choice' events 'cpu-clock,page-faults'
said 'several events: the choice is shown' choice shown
said 'several events: the first is shown' ready "$(page_data "$TMP/events.html" | jq -r '.nodes | length / 4')"
said 'several events: another is chosen, and the same function is zoomed into' event \
	'page-faults,page-faults, events.pb.gz,main'
said 'several events: its ledger' 'event ledger' "$(page_data "$TMP/events.html" | jq -r '.others[0].ledger[0][1]')"
like 'browser: several events: its unit' "$(sed -n 's/^event detail=//p' "$TMP/small.said")" '^main . 5,000 events, 100'
said 'several events: the first again' 'first again' 'cpu-clock,main'
said 'several events: no complaint' complaints ''
browse "$TMP/object" >"$TMP/small.said"
said 'a page by object is drawn so' began 'app,[kernel]'
browse "$TMP/diff" >"$TMP/small.said"
said 'a difference is drawn' ready "$(page_data "$TMP/diff.html" | jq -r '.nodes | length / 4')"
said 'a difference has its button' button Change
said 'a difference has its legend' legend 'more than before,as before,less'
done_testing
