# SPDX-License-Identifier: GPL-2.0-only
# Draws a line chart as SVG, with a line for each name. Reads lines "NAME<tab>X<tab>Y"; those of a name are sorted by X.
#
#	-v title=	the title
#	-v x=		the label of the horizontal axis, which is logarithmic, with marks at the given values
#	-v y=		the label of the vertical axis, with its unit
#	-v log_y=1	the vertical axis is logarithmic; else it begins at 0

BEGIN {
	FS = "\t"
	width = 860
	height = 420
	left = 76
	right = width - 264
	top = 84
	bottom = height - 58
	apart = 18		# minimum distance of two names
	nr_colours = split("#0b62c4 #c2410c #0f766e #9333a8 #8a6100", light, " ")
	split("#6cb6ff #ff9a5c #4fd1b5 #dd9cff #e3b341", dark, " ")
}

{
	if (!($1 in nr)) {
		names[++nr_names] = $1
		nr[$1] = 0
	}
	n = ++nr[$1]
	xs[$1, n] = $2
	ys[$1, n] = $3
	if (!($2 in marked)) {
		marked[$2] = 1
		marks[++nr_marks] = $2
	}
	min_x = NR == 1 || $2 < min_x ? $2 : min_x
	max_x = NR == 1 || $2 > max_x ? $2 : max_x
	min_y = NR == 1 || $3 < min_y ? $3 : min_y
	max_y = NR == 1 || $3 > max_y ? $3 : max_y
}

# Returns a number with thousands separators.
function in_words(number,    text, out)
{
	text = number < 10 && number != int(number) ? sprintf("%.1f", number) : sprintf("%.0f", number)
	if (text !~ /^[0-9]+$/)
		return text
	while (length(text) > 3) {
		out = "," substr(text, length(text) - 2) out
		text = substr(text, 1, length(text) - 3)
	}
	return text out
}

function escaped(text)
{
	gsub(/&/, "\\&amp;", text)
	gsub(/</, "\\&lt;", text)
	return text
}

function at_x(value)
{
	return max_x == min_x ? (left + right) / 2 : left + (right - left) * log(value / min_x) / log(max_x / min_x)
}

function at_y(value)
{
	if (log_y)
		return bottom - (bottom - top) * log(value / low_y) / log(high_y / low_y)
	return bottom - (bottom - top) * value / high_y
}

function write_text(class, x, y, text)
{
	printf "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">%s</text>\n", class, x, y, escaped(text)
}

function y_mark(value)
{
	printf "<path class=\"grid\" d=\"M%d %.1f H%d\"/>\n", left, at_y(value), right
	write_text("tick end", left - 10, at_y(value) + 4, in_words(value))
}

# Returns the smallest step, 1, 2 or 5 times a power of ten, of which at most @about are needed up to @most.
function round_step(most, about,    power)
{
	for (power = 1; power * about > most; power /= 10)
		;
	for (; power * 10 * about < most; power *= 10)
		;
	if (power * about >= most)
		return power
	if (power * 2 * about >= most)
		return power * 2
	return power * 5 * about >= most ? power * 5 : power * 10
}

# Marks all decades, and values between them if there is space.
function find_range(    step)
{
	if (log_y) {
		for (low_y = 1; low_y > min_y; low_y /= 10)
			;
		for (; low_y * 10 <= min_y; low_y *= 10)
			;
		for (high_y = low_y; high_y < max_y; high_y *= 10)
			;
		few = high_y / low_y <= 1000
		if (few && low_y * 5 <= min_y)
			low_y *= 5
		else if (few && low_y * 2 <= min_y)
			low_y *= 2
		if (few && high_y / 5 >= max_y)
			high_y /= 5
		else if (few && high_y / 2 >= max_y)
			high_y /= 2
		return
	}
	step = round_step(max_y, 5)
	for (high_y = step; high_y < max_y; high_y += step)
		;
	y_step = step
}

function write_grid(    value, decade, i)
{
	if (!log_y) {
		for (value = 0; value <= high_y * 1.0001; value += y_step)
			y_mark(value)
	}
	for (decade = 10 ^ -6; log_y && decade <= high_y * 1.0001; decade *= 10) {
		for (i = 1; i <= 5; i += i == 1 ? 1 : 3) {
			value = decade * i
			if ((i == 1 || few) && value >= low_y * 0.9999 && value <= high_y * 1.0001)
				y_mark(value)
		}
	}
	printf "<path class=\"axis\" d=\"M%d %d H%d\"/>\n", left, bottom, right
	for (i = 1; i <= nr_marks; i++) {
		printf "<path class=\"axis\" d=\"M%.1f %d v5\"/>\n", at_x(marks[i]), bottom
		write_text("tick middle", at_x(marks[i]), bottom + 21, in_words(marks[i]))
	}
}

function write_line(i,    name, n, path)
{
	name = names[i]
	for (n = 1; n <= nr[name]; n++)
		path = path sprintf("%s%.1f %.1f", n == 1 ? "M" : " L", at_x(xs[name, n]), at_y(ys[name, n]))
	printf "<path class=\"line c%d\" d=\"%s\"/>\n", i, path
	for (n = 1; n <= nr[name]; n++)
		printf "<circle class=\"dot c%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/>\n", i, at_x(xs[name, n]),
		       at_y(ys[name, n])
}

# Places the names beside the ends of their lines, from top to bottom, without overlaps.
function place_names(    i, j, t, moved, over)
{
	for (i = 1; i <= nr_names; i++) {
		order[i] = i
		place[i] = at_y(ys[names[i], nr[names[i]]])
	}
	for (i = 2; i <= nr_names; i++) {
		for (j = i; j > 1 && place[order[j]] < place[order[j - 1]]; j--) {
			t = order[j]
			order[j] = order[j - 1]
			order[j - 1] = t
		}
	}
	do {
		moved = 0
		for (i = 2; i <= nr_names; i++) {
			over = apart - (place[order[i]] - place[order[i - 1]])
			if (over > 0.5) {
				place[order[i]] += over / 2
				place[order[i - 1]] -= over / 2
				moved = 1
			}
		}
	} while (moved)
}

function write_name(i,    last)
{
	last = ys[names[i], nr[names[i]]]
	printf "<path class=\"lead c%d\" d=\"M%d %.1f L%d %.1f\"/>\n", i, right + 7, at_y(last), right + 20, place[i]
	printf "<text class=\"name c%d\" x=\"%d\" y=\"%.1f\">%s <tspan class=\"tick\">%s</tspan></text>\n", i,
	       right + 25, place[i] + 4.5, escaped(names[i]), in_words(last)
}

function style(colours, paper, ink, soft, grid,    i)
{
	printf ".paper{fill:%s}.title{fill:%s}.tick,.note{fill:%s}.grid{stroke:%s}.axis{stroke:%s}\n", paper, ink, soft,
	       grid, soft
	printf ".dot{stroke:%s}\n", paper
	for (i = 1; i <= nr_names; i++)
		printf "path.c%d{stroke:%s}circle.c%d,text.c%d{fill:%s}\n", i, colours[i], i, i, colours[i]
}

END {
	find_range()
	place_names()
	print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " width " " height "\" width=\"" width "\""
	print "height=\"" height "\" font-family=\"system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif\">"
	print "<!-- SPDX-License-Identifier: GPL-2.0-only -->"
	print "<!-- made by tests/bench/plot.awk from what was measured -->"
	print "<title>" escaped(title) "</title>"
	print "<style>"
	print ".title{font-size:17px;font-weight:600}.note,.tick{font-size:13px}.name{font-size:13.5px;font-weight:600}"
	print ".name .tick{font-weight:400}.end{text-anchor:end}.middle{text-anchor:middle}"
	print "path{fill:none}.line{stroke-width:2.5;stroke-linejoin:round;stroke-linecap:round}"
	print ".lead{opacity:.55}.dot{stroke-width:1.5}"
	style(light, "#ffffff", "#1f2328", "#59636e", "#e4e8ec")
	print "@media (prefers-color-scheme:dark){"
	style(dark, "#151b23", "#e6edf3", "#9aa4af", "#2b333d")
	print "}"
	print "</style>"
	print "<rect class=\"paper\" width=\"" width "\" height=\"" height "\" rx=\"8\"/>"
	write_text("title", 24, 36, title)
	write_text("note", 24, 58, y)
	write_grid()
	write_text("note middle", (left + right) / 2, height - 14, x)
	for (i = nr_names; i; i--)
		write_line(i)
	for (i = 1; i <= nr_names; i++)
		write_name(i)
	print "</svg>"
}
