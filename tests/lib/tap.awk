# SPDX-License-Identifier: GPL-2.0-only
# Parses the TAP output of one test program, and prints a line with its result and the failures. Variables: name,
# status (exit code), limit, started and ended (seconds), results (the file to which the line "name passed failed
# skipped seconds" is appended), failures (the file to which each failure is appended, with its first remarks, for the
# end of the output). Indented lines are subtests and do not count; their parent does. Lines that start with
# `#:` are always shown.

function fail(what)
{
	failed++
	message = message "FAIL  " name ": " what "\n"
	print substr(name ": " what, 1, 160) >>failures
	remarked = 0
}

function remark(text)
{
	message = message "      " text "\n"
	if (remarked++ < 3)
		print "    " substr(text, 1, 160) >>failures
}

# Diagnostics after this point do not belong to the previous case.
function close_case()
{
	in_failed = 0
}

/^1\.\.[0-9]+/ {
	plans++
	planned = substr($1, 4) + 0
	if (planned == 0) {
		if (match($0, /# *SKIP +[^ ]/))
			skip_all = substr($0, RSTART + RLENGTH - 1)
		else
			fail("skipped without a reason")
	}
	next
}

/^(not )?ok( |$)/ {
	close_case()
	nr_remarks = nr_ahead
	nr_ahead = 0
	seen++
	bad = /^not ok/
	text = $0
	sub(/^(not )?ok */, "", text)
	number = ""
	if (match(text, /^[0-9]+/)) {
		number = substr(text, 1, RLENGTH)
		text = substr(text, RLENGTH + 1)
	}
	sub(/^ *-? */, "", text)
	if (number != "" && number + 0 != seen)
		fail("case " number " where " seen " was due")
	if (match(text, /# *[Ss][Kk][Ii][Pp]/)) {
		reason = substr(text, RSTART + RLENGTH)
		sub(/^[ :]*/, "", reason)
		if (reason == "") {
			fail(text ": skipped without a reason")
		} else {
			skipped++
			sub(/ *# *[Ss][Kk][Ii][Pp].*/, "", text)
			message = message "SKIP  " name ": " (text == "" ? "" : text ": ") reason "\n"
		}
		next
	}
	if (bad) {
		fail(text)
		for (i = 0; i < nr_remarks; i++)
			remark(ahead[i])
		in_failed = 1
	} else {
		passed++
	}
	next
}

/^Bail out!/ {
	fail($0)
	next
}

/^#: / {
	message = message substr($0, 4) "\n"
	next
}

{
	if (in_failed && /^#/)
		remark($0)
	else if (/^#/ && nr_ahead < 40)
		ahead[nr_ahead++] = $0
	tail[NR % 40] = $0
	last = NR
}

END {
	said = failed
	if (status == 124 || status == 137)
		fail("still running after " limit " s")
	else if (status != 0 && said == 0)
		fail("exit code " status " though no case failed")
	else if (plans == 0)
		fail("no plan")
	else if (plans > 1)
		fail(plans " plans")
	else if (planned != seen)
		fail(planned " cases planned, " seen + 0 " seen")
	if (skip_all != "" && failed == 0) {
		skipped++
		message = message "SKIP  " name ": " skip_all "\n"
	}
	# The cause of a failure outside of a case is in the last lines of the output.
	if (failed > said)
		for (i = last - 39; i <= last; i++)
			if (i > 0 && (i % 40) in tail) {
				message = message "      | " tail[i % 40] "\n"
				if (i > last - 3)
					print "    | " substr(tail[i % 40], 1, 160) >>failures
			}

	seconds = ended - started
	printf "%-5s %-32s %3d passed%s%s %7.1f s\n", failed ? "not" : "ok", name, passed, \
		failed ? ", " failed " failed" : "", skipped ? ", " skipped " skipped" : "", seconds
	printf "%s", message
	fflush()
	printf "%s %d %d %d %.1f\n", name, passed, failed, skipped, seconds >>results
}
