# SPDX-License-Identifier: GPL-2.0-only
# Turns the console of a guest into one TAP stream: the cases of all guest tests, renumbered and under the names
# of their tests, and a case each for what else can be wrong. In: version, seconds (to boot), how (qemu ended).

function result(good, text)
{
	nr++
	printf "%sok %d - %s: %s\n", good ? "" : "not ", nr, version, text
}

BEGIN {
	state = "boot"
	splat = "WARNING: |BUG: |Oops|RIP: |Call Trace|Kernel panic|general protection|rcu: .*stall|" \
		"soft lockup|UBSAN|KASAN"
}

{ sub(/\r+$/, "") }

# Between tests and in the boot phase, all that the kernel prints is its own.
/^@boot / && state == "boot" {
	state = "idle"
	result(1, "boots")
	printf "# Linux %s, %.1f s to boot\n", $3, seconds
	next
}

/^@begin / {
	test = $2
	state = "test"
	planned = -1
	tests++
	seen = bad = 0
	next
}

/^@end / {
	if ($2 == 124 || $2 == 137 || $2 == 143)
		result(0, test ": out of time")
	else if ($2 != 0 && !bad)
		result(0, test ": exit code " $2 " though no case failed")
	else if (planned < 0)
		result(0, test ": no plan")
	else if (planned != seen)
		result(0, test ": " planned " cases planned, " seen " seen")
	state = "idle"
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
		printf "ok %d - %s: %s %s\n", nr, version, test, $0
	} else if (planned == 0) {
		result(0, test ": skipped without a reason")
	}
	next
}

state == "test" && /^(not )?ok( |$)/ {
	seen++
	good = !/^not/
	bad += !good
	sub(/^(not )?ok *[0-9]* *-? */, "")
	result(good, test ": " $0)
	next
}

# Kernel messages on the console count in any state: after a panic there is nothing else.
$0 ~ splat && !/^#/ {
	splats++
	said[splats] = $0
}

state == "test" || state == "boot" || state == "idle" {
	line = $0
	sub(/^# */, "", line)
	print "# " line
}

END {
	if (state == "boot")
		result(0, "boots")
	else
		result(state == "over", "guest ends in order")
	if (state != "over")
		print "# " how
	result(!splats, "kernel has nothing to complain about")
	for (i = 1; i <= splats && i <= 20; i++)
		print "# " said[i]
	if (!tests)
		result(0, "runs guest tests")
	print "1.." nr
}
