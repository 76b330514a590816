#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# apt-source.sh BASE SUITE: prints an apt source (deb822) for SUITE with the mirror and the keys of the suite BASE on
# this machine, so that no mirror is hard-coded. $APT_DIR replaces /etc/apt in tests.

base=$1
suite=$2
dir=${APT_DIR:-/etc/apt}

# Reads deb822 files: prints the paragraph that has the base suite, with other suites and components.
deb822() {
	awk -v base="$base" -v suite="$suite" '
		function emit(  i, words, nr, has) {
			nr = split(suites, words)
			for (i = 1; i <= nr; i++)
				has = has || words[i] == base
			if (has && types ~ /(^| )deb( |$)/ && !disabled && !printed++)
				printf "Types: deb\nSuites: %s\nComponents: main\n%s", suite, rest
			suites = types = rest = ""
			disabled = keep = 0
		}
		/^#/ { next }
		/^[ \t]*$/ { emit(); next }
		/^[^ \t]/ {
			name = tolower(substr($0, 1, index($0, ":") - 1))
			value = substr($0, index($0, ":") + 1)
			keep = name == "uris" || name == "signed-by" || name == "trusted"
			if (name == "suites") suites = value
			if (name == "types") types = value
			if (name == "enabled") disabled = value ~ /no/
		}
		keep { rest = rest $0 "\n" }
		END { emit() }' "$@"
}

# Reads files of lines "deb [option=value ...] URI SUITE COMPONENT...", and prints such a paragraph.
one_line() {
	awk -v base="$base" -v suite="$suite" '
		$1 != "deb" { next }
		{
			signed = ""
			if (match($0, /\[[^]]*\]/)) {
				options = substr($0, RSTART + 1, RLENGTH - 2)
				$0 = substr($0, 1, RSTART - 1) substr($0, RSTART + RLENGTH)
				if (match(options, /signed-by=[^ ]+/))
					signed = substr(options, RSTART + 10, RLENGTH - 10)
			}
		}
		$3 == base {
			printf "Types: deb\nSuites: %s\nComponents: main\nURIs: %s\n", suite, $2
			if (signed)
				print "Signed-By: " signed
			exit
		}' "$@"
}

for file in "$dir"/sources.list.d/*.sources "$dir"/sources.list "$dir"/sources.list.d/*.list; do
	[ -e "$file" ] || continue
	case $file in
	*.sources) stanza=$(deb822 "$file") ;;
	*) stanza=$(one_line "$file") ;;
	esac
	if [ -n "$stanza" ]; then
		printf '%s\n' "$stanza"
		exit 0
	fi
done
echo "apt has no source for Debian's suite $base in $dir" >&2
exit 1
