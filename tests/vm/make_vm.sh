#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=60
# `make vm` starts a shell in a guest, with copies of files; the test types one line of commands. VM_ARCHS has the
# architectures of the guests (amd64).
. "${0%/*}/../lib/tap.sh"
. "${0%/*}/machine/emulator.sh"
cd "${0%/*}/../.." || exit 1

# session ARCH: boots, types the line, and waits for the end; $TMP/said has the output without carriage returns
session() {
	: >"$TMP/said"
	rm -f "$TMP/keys"
	mkfifo "$TMP/keys"
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make vm "O=$BUILD" "ARCH=$1" \
		"FILES=$BUILD/filters/comm.bpf.o $TMP/try.sh $TMP/folder" <"$TMP/keys" >"$TMP/said" 2>&1 &
	guest=$!
	at_exit "kill $guest 2>/dev/null"
	exec 5>"$TMP/keys"
	until grep -aq '^guest# ' "$TMP/said" || emulator_failed "$TMP/said" || ! kill -0 $guest 2>/dev/null; do
		sleep 0.2
	done
	# In a subshell, because the write may get SIGPIPE.
	(echo 'tprof top --batch --duration 2; lsmod; sh try.sh; cat folder/text; poweroff -f' >&5)
	wait $guest
	status=$?
	exec 5>&-
	tr -d '\r' <"$TMP/said" >"$TMP/text"
}

echo 'echo "script ran"; tprof run /files/comm.bpf.o --duration 1' >"$TMP/try.sh"
mkdir "$TMP/folder"
echo 'text in a folder' >"$TMP/folder/text"

for arch in ${VM_ARCHS:-amd64}; do
	for attempt in 1 2 3 4; do
		session $arch
		emulator_failed "$TMP/said" || break
		diag "attempt $attempt met a breakpoint of the kernel's that was gone (emulator)"
	done
	is "$arch: poweroff ends it" "$status" 0
	like "$arch: says what to type" "$(cat "$TMP/text")" 'Type `tprof top`'
	like "$arch: tprof top names the workload's function" "$(cat "$TMP/text")" ' hot .*spin|spin.* hot'
	like "$arch: the module is loaded" "$(cat "$TMP/text")" '^tprof  '
	like "$arch: says which files are there" "$(cat "$TMP/text")" '^Copies .* /files: comm.bpf.o folder try.sh'
	like "$arch: a script is there" "$(cat "$TMP/text")" '^script ran'
	like "$arch: a directory is there" "$(cat "$TMP/text")" '^text in a folder'
	like "$arch: a filter is there" "$(cat "$TMP/text")" '^comm \([0-9]+ keys?\)'
	[ "$status" -eq 0 ] || diag "$(tail -n 40 "$TMP/text")"
done
make vm "O=$BUILD" "FILES=$TMP/none" >"$TMP/said" 2>&1
is 'a file that does not exist: fails' "$([ $? -ne 0 ] && echo yes)" yes
like 'a file that does not exist: says so' "$(cat "$TMP/said")" "^vm: $TMP/none: there is no such file"
done_testing
