# SPDX-License-Identifier: GPL-2.0-only
# Converts the console output of a guest to one TAP stream: the cases of all guest tests, renumbered and prefixed with
# the names of their tests, cases for other failures, and a table of results and durations. Variables: machine, seconds
# (until the guest has booted), how (qemu ended).

function result(good, text)
{
	nr++
	if (!good && state != "over")
		bad++
	printf "%sok %d - %s: %s\n", good ? "" : "not ", nr, machine, text
}

function verdict(what, since, until)
{
	table[++rows] = sprintf("%8.1f s  %-4s  %s", until - since, bad ? "FAIL" : "ok", what)
}

# Detects reports of problems in the kernel log: a line that starts a report, and the trace after it. For some reports
# only the complete text shows whether they are a failure:
#
#	race	The kernel itself has many data races. Only one with the module in a trace is a failure, unless it is in
#		the NMI-safe clock: that repeats a read if the data has changed, but 6.12 does not annotate this.
#	dying	6.12 counts the server of the fair class as a task that is left on an offline CPU, but does not list it.
#	asked	The test `faults` made an allocation fail, and the kernel reports the injected failure; also for the
#		trace events and the static keys of a module, which it notes before the module's own code runs.
function complaint(line)
{
	if (!report)
		report = kind_of_report(line)
	if (!report) {
		complaint_line(line)
		return
	}
	held[++holding] = line
	if (report == "race" && held[1] !~ /ktime_get_mono_fast_ns/ && line ~ /\[tprof/ ||
	    report == "dying" && line ~ /pid: [0-9]+, name: / && line !~ /name: migration\//)
		ours = 1
	if (report == "dying" && line ~ /CPU[0-9]+ enqueued tasks/)
		listed = 1
	if (report == "race" && line ~ /==========/ || report == "asked" && line ~ /<\/TASK>/ ||
	    report == "dying" && listed && line !~ /enqueued tasks|pid: /)
		report_over()
}

function kind_of_report(line)
{
	if (line ~ /BUG: KCSAN: /)
		return "race"
	if (line ~ /Dying CPU not properly vacated/)
		return "dying"
	if (test == "faults" && line ~ asked)
		return "asked"
	return ""
}

function report_over(  i)
{
	# A report of left tasks without their list is a failure.
	if (report == "dying" && !listed)
		ours = 1
	for (i = 1; ours && i <= holding; i++)
		complaint_line(held[i])
	holding = ours = listed = 0
	report = ""
}

function complaint_line(line)
{
	if (line ~ splat) {
		if (!splats++)
			kept = 0
		follow = 30
	}
	if (follow-- > 0 && kept < 60) {
		said[++kept] = line
		traced(line)
	}
}

# The functions of the first trace, the innermost first, from lines "RIP: 0010:name+0x1/0x2", "pc : name+0x1/0x2" and
# " name+0x1/0x2"; "?" marks addresses that only lay on the stack.
function traced(line)
{
	if (splats > 1 && line ~ splat && line !~ /RIP: |Call [Tt]race/)
		traces_over = 1
	if (traces_over || line ~ / \? / || !match(line, /[A-Za-z_][A-Za-z0-9_.]*\+0x[0-9a-f]+\/0x/))
		return
	line = substr(line, RSTART, RLENGTH)
	sub(/\+.*/, "", line)
	if (index(" " trace " ", " " line " ") == 0)
		trace = trace (trace == "" ? "" : " < ") line
}

function complaints(text,  i)
{
	report_over()
	if (!splats)
		return
	result(0, text)
	if (trace != "")
		print "# " trace
	trace = ""
	traces_over = 0
	for (i = 1; i <= kept; i++)
		print "# " said[i]
	splats = follow = 0
}

BEGIN {
	state = "boot"
	asked = "vmalloc error: |page allocation failure: |WARNING: .* at kernel/trace/trace_events\\.c:|" \
		"WARNING: .* at kernel/jump_label\\.c:[0-9]* jump_label_(module_notify|del_module)"
	splat = "WARNING: |BUG: |Oops|RIP: |Call [Tt]race|Kernel panic|general protection|rcu: .*(stall|starved)|" \
		"INFO: (rcu|task |lockdep|trying to register)|soft lockup|hard LOCKUP|blocked for more than|" \
		"UBSAN|KASAN|kmemleak: [1-9]|scheduling while atomic|sleeping function called|" \
		"(list_add|list_del) corruption|refcount_t:|Unable to handle kernel|Internal error:|" \
		"DEBUG_LOCKS_WARN_ON|irq .*: nobody cared|unregister_netdevice|possible (recursive|circular)"
}

{ sub(/\r+$/, "") }

/^@boot / && state == "boot" {
	state = "idle"
	result(1, "boots")
	printf "# Linux %s, %.1f s to boot\n", $3, seconds
	next
}

/^@begin / {
	test = $2
	since = $3
	state = "test"
	planned = -1
	tests++
	seen = bad = 0
	next
}

/^@fail / && state == "test" {
	result(0, test ": " substr($0, 7))
	next
}

/^@kernel/ && state == "test" {
	state = "kernel"
	next
}

/^@end / {
	state = "idle"
	complaints(test ": the kernel has nothing to complain about")
	if ($3 == 124 || $3 == 137 || $3 == 143)
		result(0, test ": out of time")
	else if ($3 != 0 && !bad)
		result(0, test ": exit code " $3 " though no case failed")
	else if (planned < 0 && !bad)
		result(0, test ": no plan")
	else if (planned >= 0 && planned != seen)
		result(0, test ": " planned " cases planned, " seen " seen")
	verdict(test, since, $4)
	test = ""
	next
}

/^@log/ {
	state = "log"
	next
}

/^@over/ {
	state = "over"
	next
}

state == "test" && /^1\.\.[0-9]+/ {
	planned = substr($1, 4) + 0
	if (planned == 0 && /# *SKIP +[^ ]/) {
		nr++
		sub(/^1\.\.0/, "")
		printf "ok %d - %s: %s %s\n", nr, machine, test, $0
	} else if (planned == 0) {
		result(0, test ": skipped without a reason")
	}
	next
}

state == "test" && /^(not )?ok( |$)/ {
	seen++
	good = !/^not/
	sub(/^(not )?ok *[0-9]* *-? */, "")
	result(good, test ": " $0)
	next
}

state == "test" && /^KTAP version/ { next }

# Kernel messages count in any state: after a panic there are no other lines.
!/^#/ { complaint($0) }

state == "test" || state == "boot" || state == "idle" {
	line = $0
	sub(/^# */, "", line)
	print "# " line
}

END {
	if (state == "boot")
		result(0, "boots")
	else
		result(state == "over", test == "" ? "guest ends in order" : test ": the guest ends in it")
	if (state != "over") {
		print "# " how
		if (test != "")
			verdict(test, 0, 0)
	}
	complaints("the kernel has nothing to complain about")
	if (!tests)
		result(0, "runs guest tests")
	print "1.." nr
	for (i = 1; i <= rows; i++)
		print "#: " table[i]
}
