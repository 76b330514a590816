#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# `make setup` is quick if no package is missing, and takes the mirror of the backports suite from the apt sources of
# the machine.
. "${0%/*}/../lib/tap.sh"
mk=$(dirname "$0")/../../mk

# derive NAME FILE WANTED: apt-source.sh prints WANTED if FILE, from standard input, is the only apt source
derive() {
	rm -rf "$TMP/apt"
	mkdir -p "$TMP/apt/sources.list.d"
	cat >"$TMP/apt/$2"
	is "$1" "$(APT_DIR="$TMP/apt" sh "$mk/apt-source.sh" bookworm bookworm-backports 2>&1)" "$3"
}

derive 'deb822' sources.list.d/debian.sources "Types: deb
Suites: bookworm-backports
Components: main
URIs: http://mirror.invalid/debian
Signed-By: /usr/share/keyrings/key.gpg" <<'END'
# comment
Types: deb
URIs: http://security.invalid/debian
Suites: bookworm-security
Components: main
Signed-By: /usr/share/keyrings/other.gpg

Types: deb deb-src
# comment
URIs: http://mirror.invalid/debian
Suites: bookworm bookworm-updates
Components: main contrib
Signed-By: /usr/share/keyrings/key.gpg
END

derive 'deb822 with a key inside' sources.list.d/debian.sources "Types: deb
Suites: bookworm-backports
Components: main
URIs: http://mirror.invalid/debian
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 abc" <<'END'
Types: deb
URIs: http://mirror.invalid/debian
Suites: bookworm
Components: main
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 abc
END

derive 'one line' sources.list "Types: deb
Suites: bookworm-backports
Components: main
URIs: http://mirror.invalid/debian
Signed-By: /etc/key.gpg" <<'END'
# deb http://old.invalid/debian bookworm main
deb-src http://source.invalid/debian bookworm main
deb http://mirror.invalid/debian bookworm-updates main
deb [arch=amd64 signed-by=/etc/key.gpg] http://mirror.invalid/debian bookworm main contrib
END

derive 'one line, plain' sources.list.d/debian.list "Types: deb
Suites: bookworm-backports
Components: main
URIs: http://mirror.invalid/debian" <<'END'
deb http://mirror.invalid/debian bookworm main
END

derive 'disabled' sources.list.d/debian.sources \
	"apt has no source for Debian's suite bookworm in $TMP/apt" <<'END'
Enabled: no
Types: deb
URIs: http://mirror.invalid/debian
Suites: bookworm
Components: main
END

# Counts the calls of apt and dpkg-query, which are the slow parts.
mkdir "$TMP/bin"
for command in apt-get apt-cache dpkg-query; do
	printf '#!/bin/sh\necho %s >>"%s"\nexec %s "$@"\n' $command "$TMP/called" "$(command -v $command)" \
		>"$TMP/bin/$command"
done
chmod +x "$TMP"/bin/*
is 'setup has nothing to do and says nothing' "$(PATH=$TMP/bin:$PATH sh "$mk/setup.sh" all 2>&1)" ''
is 'setup is quick then: one question to dpkg, none to apt' "$(cat "$TMP/called")" dpkg-query
is 'no host is named in the build' "$(grep -rnE '[a-z]+\.debian\.(org|net)' "$mk" Makefile tests/vm 2>/dev/null)" ''
done_testing
