#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# module.sh BUILD [FILE]: measures the part of BENCHMARKS.md about the module, and replaces that part of the file.
set -u

. "${0%/*}/part.sh"
. "$here/measure_module.sh"
file=${2:-BENCHMARKS.md}
first='^## What a sample costs$'

grep -q "$first" "$file" || fail "$file has no such part"
measure_module
progress ''
printf '\r' >&2
{
	sed "/$first/,\$d" "$file"
	. "$here/report_module.sh"
} >"$out/report.md" || fail 'no report'
publish "$file"
