# SPDX-License-Identifier: GPL-2.0-only
# Writes the manual pages of the library from the kernel-doc comments of its public headers: one page for each object,
# and for each function a page that refers to it.
#
#	awk -v out=DIR -v date='MONTH DAY, YEAR' -f man3.awk libtprof/tprof.h libtprof/tprof_*.h
#
# A comment describes the declaration after it. It is an error if a public function has no comment, if a comment names
# another declaration, or if an object is not in the table below.

# page(NAME, WHAT, OBJECTS): assigns these objects and all their functions to a page
function page(name, what, objects,    i, n, words)
{
	pages[++nr_pages] = name
	about[name] = what
	n = split(objects, words, " ")
	for (i = 1; i <= n; i++)
		page_of[words[i]] = name
}

BEGIN {
	page("libtprof", "sample what the CPUs do and read what filters counted of it",
	     "tprof_version tprof_text tprof_error tprof_log_level tprof_log_fn tprof_mode")
	page("tprof_counters", "count events without samples",
	     "tprof_counters tprof_counters_opts tprof_counter_per tprof_counter_state tprof_counter_event " \
	     "tprof_counter_unit tprof_counter_value")
	page("tprof_filter", "open, configure and check filters",
	     "tprof_filter tprof_table_info tprof_param_info tprof_check")
	page("tprof_ledger", "the ledger: what became of every sample",
	     "tprof_ledger tprof_loss tprof_outcome tprof_lost_reason tprof_counting")
	page("tprof_probe", "probe this machine", "tprof_probe tprof_engine tprof_event tprof_running " \
	     "tprof_module tprof_listing tprof_function")
	page("tprof_profile", "what was counted, named and sorted",
	     "tprof_profile tprof_entry tprof_frame tprof_call_stack tprof_group tprof_row " \
	     "tprof_cell_type tprof_cell tprof_format tprof_export_opts")
	page("tprof_raw", "raw recordings: every sample in a file",
	     "tprof_raw tprof_raw_sum tprof_raw_info tprof_raw_sample tprof_raw_note tprof_note tprof_target_kind " \
	     "tprof_raw_fn tprof_owner tprof_read_opts")
	page("tprof_self", "count events of the calling thread", "tprof_self tprof_self_opts")
	page("tprof_session", "choose what is sampled, start, and take snapshots",
	     "tprof_session tprof_session_opts tprof_event_opts tprof_sandbox_opts tprof_info tprof_event_info " \
	     "tprof_filter_state tprof_symbol")
}

function fail(why)
{
	printf "%s:%d: %s\n", FILENAME, FNR, why >"/dev/stderr"
	failed = 1
	exit 1
}

# Marks up a line of text. A period or a quote at its start is escaped, because mdoc reads it as a request.
function inline(text,    out)
{
	gsub(/\\/, "\\e", text)
	while (match(text, /@[a-z_]+|`[^`]*`/)) {
		out = out substr(text, 1, RSTART - 1)
		if (substr(text, RSTART, 1) == "@")
			out = out "\\fI" substr(text, RSTART + 1, RLENGTH - 1) "\\fP"
		else
			out = out "\\fB" substr(text, RSTART + 1, RLENGTH - 2) "\\fP"
		text = substr(text, RSTART + RLENGTH)
	}
	text = out text
	return text ~ /^[.']/ ? "\\&" text : text
}

function put(text)
{
	body[at] = body[at] text "\n"
}

# Writes each sentence on a line of its own, as mdoc requires.
function put_text(text,    i)
{
	while ((i = match(text, /\. [A-Z@]/)) && substr(text, 1, i) !~ /e\.g\.$/) {
		put(inline(substr(text, 1, i)))
		text = substr(text, i + 2)
	}
	put(inline(text))
}

function end_block()
{
	if (paragraph != "") {
		if (!first)
			put(".Pp")
		put_text(paragraph)
		first = 0
	}
	paragraph = ""
}

function end_list()
{
	end_block()
	if (list)
		put(".El")
	if (literal)
		put(".Ed")
	list = literal = ""
}

# Converts one line of a comment: code after a tab, "- " items, "@name: " parameters and members, paragraphs.
function put_line(line,    name)
{
	if (line ~ /^\t/) {
		if (!literal) {
			end_list()
			put(".Bd -literal -offset indent")
			literal = 1
		}
		gsub(/\\/, "\\e", line)
		put(gap substr(line, 2))
		gap = ""
		return
	}
	if (literal && line == "") {
		gap = "\n"
		return
	}
	gap = ""
	if (line ~ /^@[a-z_]+: / || line ~ /^ *- /) {
		end_block()
		name = line ~ /^@/ ? "tag" : "dash"
		if (list != name) {
			end_list()
			put(name == "tag" ? ".Bl -tag -width Ds" : ".Bl -dash")
			list = name
		}
		if (name == "tag")
			put(".It Fa " substr(line, 2, index(line, ":") - 2))
		else
			put(".It")
		sub(/^@[a-z_]+: *|^ *- /, "", line)
		paragraph = line
		first = 1
		return
	}
	if (line == "" || literal || (list == "tag" && paragraph == ""))
		end_list()
	if (line == "")
		return
	sub(/^ +/, "", line)
	paragraph = paragraph (paragraph == "" ? "" : " ") line
}

function put_comment(    i)
{
	first = 1
	for (i = 1; i <= nr_lines; i++)
		put_line(lines[i])
	end_list()
}

# Splits parameters at the commas that are not within parentheses.
function put_parameters(text,    i, c, depth, word)
{
	for (i = 1; i <= length(text) + 1; i++) {
		c = i > length(text) ? "," : substr(text, i, 1)
		depth += (c == "(") - (c == ")")
		if (c == "," && depth == 0) {
			sub(/^ +/, "", word)
			synopsis[at] = synopsis[at] ".Fa \"" word "\"\n"
			word = ""
		} else {
			word = word c
		}
	}
}

function object_of(name)
{
	sub(/__.*/, "", name)
	if (!(name in page_of))
		fail(name " is on no page: see the table in mk/man3.awk")
	return page_of[name]
}

function put_function(text,    name, type)
{
	gsub(/[ \t]+/, " ", text)
	sub(/^TPROF_API /, "", text)
	sub(/\);.*/, "", text)
	match(text, /tprof_[a-z_]*\(/)
	name = substr(text, RSTART, RLENGTH - 1)
	type = substr(text, 1, RSTART - 1)
	sub(/ $/, "", type)
	if (name "()" != subject)
		fail(name "() has no comment of its own")
	at = object_of(name)
	names[at] = names[at] " " name
	synopsis[at] = synopsis[at] ".Ft \"" type "\"\n.Fo " name "\n"
	put_parameters(substr(text, RSTART + RLENGTH))
	synopsis[at] = synopsis[at] ".Fc\n"
	put(".Ss " name "()")
	put_comment()
}

function put_type(kind, name, text)
{
	if (kind " " name != subject)
		fail(kind " " name " has no comment of its own")
	at = object_of(name)
	put(".Ss " kind " " name)
	put_comment()
	put(".Bd -literal -offset indent")
	gsub(/\\/, "\\e", text)
	put(text ".Ed")
}

# The text after "name - " in the first line of a comment becomes the first sentence.
function begin_subject(line,    i)
{
	i = index(line, " - ")
	subject = substr(line, 1, i - 1)
	line = substr(line, i + 3)
	lines[nr_lines = 1] = toupper(substr(line, 1, 1)) substr(line, 2) (line ~ /[.:]$/ ? "" : ".")
	if (line !~ /^[a-z]/)
		lines[1] = line "."
}

function write_page(name,    file, i, n, words)
{
	file = out "/" name ".3"
	n = split(names[name], words, " ")
	printf ".\\\" SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)\n" >file
	printf ".Dd %s\n.Dt %s 3\n.Os\n.Sh NAME\n", date, toupper(name) >file
	for (i = name == "libtprof" ? 0 : 1; i <= n; i++)
		printf ".Nm %s%s\n", i ? words[i] : name, i < n ? " ," : "" >file
	printf ".Nd %s\n.Sh SYNOPSIS\n.In tprof/tprof.h\n%s.Sh DESCRIPTION\n", about[name], synopsis[name] >file
	printf "%s", body[name] >file
	printf ".Sh SEE ALSO\n" >file
	for (i = 1; i <= nr_pages; i++)
		if (pages[i] != name)
			printf ".Xr %s 3 ,\n", pages[i] >file
	printf ".Xr tprof-filters 7\n" >file
	close(file)
	for (i = 1; i <= n; i++) {
		printf ".so man3/%s.3\n", name >(out "/" words[i] ".3")
		close(out "/" words[i] ".3")
	}
}

# The comment at the top of the first header is the overview.
/^\/\*$/ && !overview {
	overview = in_comment = 1
	nr_lines = 0
	next
}
/^\/\*\* .* - .*\*\/$/ {
	begin_subject(substr($0, 5, length($0) - 7))
	next
}
/^\/\*\*$/ {
	in_comment = 2
	subject = ""
	nr_lines = 0
	next
}
in_comment && /^ \*\/$/ {
	if (in_comment == 1) {
		at = "libtprof"
		put_comment()
	}
	in_comment = 0
	next
}
in_comment {
	sub(/^ \* ?/, "")
	if (in_comment == 2 && subject == "")
		begin_subject($0)
	else
		lines[++nr_lines] = $0
	next
}

/^TPROF_API / { declaration = "" ; declaring = 1 }
declaring {
	declaration = declaration " " $0
	sub(/^ /, "", declaration)
	if (/;$/) {
		declaring = 0
		put_function(declaration)
		subject = ""
	}
	next
}
/^(struct|enum) tprof_[a-z_]+ \{$/ { type = $1; type_name = $2; text = "" }
type {
	text = text $0 "\n"
	if (/^\};$/) {
		put_type(type, type_name, text)
		type = subject = ""
	}
	next
}
/^typedef .*\(\*tprof_[a-z_]+\)/ {
	match($0, /tprof_[a-z_]+/)
	put_type("typedef", substr($0, RSTART, RLENGTH), $0 "\n")
	subject = ""
}

END {
	if (failed)
		exit 1
	for (nr = 1; nr <= nr_pages; nr++)
		write_page(pages[nr])
}
