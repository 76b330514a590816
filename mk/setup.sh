#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# setup.sh build|vm|debug|all: installs the missing packages of mk/packages on Debian 12 and 13. `build` selects the
# packages that the program needs, `vm` adds those for virtual machines, `debug` also those that build the debugging
# kernels and the fuzzer, `all` those for `make check`.
set -eu

cd "$(dirname "$0")"
backports_source=/etc/apt/sources.list.d/tprof-backports.sources

# Prints the rows of the list with the selected kinds.
rows() {
	case $1 in
	build) grep '^build' packages ;;
	vm) grep -E '^(build|vm)' packages ;;
	debug) grep -E '^(build|vm|debug)' packages ;;
	all) grep -E '^(build|vm|check)' packages ;;
	*) echo 'usage: setup.sh build|vm|debug|all' >&2; exit 2 ;;
	esac
}

fail() {
	echo "setup: $*" >&2
	exit 1
}

# Prints the packages that are missing, unless their command exists, or too old.
missing() {
	installed=$(dpkg-query -W -f '${db:Status-Status} ${Package} ${Version}\n' \
		$(rows "$1" | awk '{ print $2 }') 2>/dev/null | sed -n 's/^installed/:/p')
	rows "$1" | while read -r kind package options; do
		cmd= min=
		for option in $options; do
			case $option in
			cmd=*) cmd=${option#cmd=} ;;
			min=*) min=${option#min=} ;;
			*) break ;;
			esac
		done
		version=${installed#*": $package "}
		if [ "$version" != "$installed" ]; then
			version=${version%%:\ *}
			[ -n "$min" ] || continue
			dpkg --compare-versions $version ge "$min" && continue
		elif [ -n "$cmd" ] && command -v "$cmd" >/dev/null; then
			continue
		fi
		echo "$package $min"
	done
}

# Debian 12: adds the backports suite, from the mirror that the machine already uses.
add_backports() {
	if apt-cache policy libbpf-dev | grep -q bookworm-backports; then
		return
	fi
	stanza=$(sh ./apt-source.sh bookworm bookworm-backports) || fail 'cannot add the backports suite'
	echo "setup: adding the suite bookworm-backports in $backports_source"
	printf '%s\n' "$stanza" >$backports_source
	apt_get update
}

apt_get() {
	DEBIAN_FRONTEND=noninteractive apt-get -q -y -o Dpkg::Use-Pty=0 "$@" </dev/null
}

ID= VERSION_ID=
[ ! -r /etc/os-release ] || . /etc/os-release
case $ID:$VERSION_ID in
debian:12 | debian:13) ;;
*)
	echo "setup: knows Debian 12 and 13 only; on ${PRETTY_NAME:-this system} please install:"
	rows "$1" | sed -E 's/^[a-z]+\t[^\t]*\t+/  /'
	exit 1
	;;
esac

list=$(missing "$1")
[ -n "$list" ] || exit 0
names=$(printf '%s\n' "$list" | awk '{ print $1 }' | tr '\n' ' ')
[ "$(id -u)" -eq 0 ] || fail "missing packages: ${names% } (run: sudo make setup)"

echo "setup: installing $names"
apt_get update
if [ "$VERSION_ID" = 12 ]; then
	case $list in
	*' '[0-9]*) add_backports ;;
	esac
	names=$(printf '%s\n' "$list" | awk '{ print $1 (NF > 1 ? "/bookworm-backports" : "") }')
fi
apt_get install --no-install-recommends $names
