# SPDX-License-Identifier: GPL-2.0-only
# Converts a terminal screen with its colours, as `tmux capture-pane -e -p` prints it, to SVG. Supports the attributes
# that curses uses: bold, dim, reverse, and the sixteen colours.

BEGIN {
	columns = 100
	cell = 8.43	# width of a character in the fonts below, at 14
	line = 19
	margin = 14
	bar = 30
	split("#2e3440 #e06c75 #98c379 #e5c07b #61afef #c678dd #56b6c2 #dcdfe4", colour, " ")
	plain = "#dcdfe4"
	paper = "#1e222a"
	attributes("0")
}

# Returns the width of a text in columns, in the C locale: continuation bytes of UTF-8 do not count.
function width_of(text)
{
	gsub(/[\200-\277]/, "", text)
	return length(text)
}

function attributes(codes,    i, n, c, list)
{
	n = split(codes == "" ? "0" : codes, list, ";")
	for (i = 1; i <= n; i++) {
		c = list[i] + 0
		if (c == 0) {
			ink = plain
			ground = ""
			bold = dim = reverse = 0
		} else if (c == 1 || c == 2) {
			bold = bold || c == 1
			dim = dim || c == 2
		} else if (c == 7 || c == 27)
			reverse = c == 7
		else if (c == 22)
			bold = dim = 0
		else if (c >= 30 && c <= 37)
			ink = colour[c - 29]
		else if (c >= 90 && c <= 97)
			ink = colour[c - 89]
		else if (c == 39)
			ink = plain
		else if (c >= 40 && c <= 47)
			ground = colour[c - 39]
		else if (c == 49)
			ground = ""
	}
}

# Draws text with the same attributes, from column @at on. Blanks at its ends are drawn only as background.
function stretch(text, at, row,    front, back, y, lead)
{
	front = reverse ? (ground == "" ? paper : ground) : ink
	back = reverse ? ink : ground
	y = bar + margin + row * line
	if (back != "")
		rows = rows sprintf("<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>\n",
				    margin + at * cell, y, width_of(text) * cell, line, back)
	match(text, /[^ ]/)
	if (!RSTART)
		return
	lead = RSTART - 1
	text = substr(text, RSTART)
	sub(/ +$/, "", text)
	n = width_of(text)
	gsub(/&/, "\\&amp;", text)
	gsub(/</, "\\&lt;", text)
	gsub(/>/, "\\&gt;", text)
	rows = rows sprintf("<text x=\"%.1f\" y=\"%.1f\" textLength=\"%.1f\" fill=\"%s\"%s%s>%s</text>\n",
			    margin + (at + lead) * cell, y + 14, n * cell, front,
			    bold ? " font-weight=\"bold\"" : "", dim ? " opacity=\"0.6\"" : "", text)
}

{
	gsub(/\033\([A-Z0-9]|[\016\017]/, "")
	text = $0
	at = 0
	while (match(text, /\033\[[0-9;]*m/)) {
		start = RSTART
		size = RLENGTH
		if (start > 1)
			stretch(substr(text, 1, start - 1), at, NR - 1)
		at += width_of(substr(text, 1, start - 1))
		attributes(substr(text, start + 2, size - 3))
		text = substr(text, start + size)
	}
	if (text != "")
		stretch(text, at, NR - 1)
}

END {
	width = 2 * margin + columns * cell
	height = bar + 2 * margin + NR * line
	print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " width " " height "\" width=\"" width "\""
	print "height=\"" height "\" font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" font-size=\"14\""
	print "xml:space=\"preserve\">"
	print "<!-- SPDX-License-Identifier: GPL-2.0-only -->"
	print "<!-- made by mk/picture.sh from a real run -->"
	print "<title>tprof top</title>"
	print "<rect width=\"" width "\" height=\"" height "\" rx=\"8\" fill=\"" paper "\"/>"
	print "<path d=\"M0 " bar " V8 a8 8 0 0 1 8 -8 H" width - 8 " a8 8 0 0 1 8 8 V" bar " Z\" fill=\"#2c313c\"/>"
	for (i = 0; i < 3; i++)
		print "<circle cx=\"" 20 + i * 20 "\" cy=\"15\" r=\"6\" fill=\"" colour[substr("243", i + 1, 1)] "\"/>"
	print "<text x=\"" width / 2 "\" y=\"20\" text-anchor=\"middle\" fill=\"#9aa2b1\">sudo tprof top</text>"
	printf "%s</svg>\n", rows
}
