#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Installs into an empty prefix: programs build and run with pkg-config alone, and uninstall removes all files.
. "${0%/*}/../lib/tap.sh"
prefix=$TMP/prefix
export PKG_CONFIG_PATH="$prefix/lib/pkgconfig"
export LD_LIBRARY_PATH="$prefix/lib"

# Not optimized, which takes half the time.
run_make() {
	make -j2 "O=$TMP/build" "PREFIX=$prefix" CFLAGS=-O0 "$@"
}

# agent NAME COMPILER...: builds the example with installed files only
agent() {
	name=$1
	shift
	# shellcheck disable=SC2046
	check "agent: compiles as $name" "$@" -Wall -Wextra -Werror -o "$TMP/agent-$name" "$TMP/agent.c" \
		$(pkg-config --cflags --libs libtprof)
	like "agent as $name: uses the installed library" \
		"$(ldd "$TMP/agent-$name" 2>&1)" "libtprof.so.1 => $prefix/lib/"
}

check 'make install' run_make install
for file in bin/tprof lib/libtprof.so lib/libtprof.so.1 lib/libtprof.a lib/pkgconfig/libtprof.pc \
		lib/tprof/filters/top.bpf.o include/tprof/tprof.h include/tprof/tprof_control.h \
		include/tprof/tprof_filter.h \
		include/tprof/tprof_machine.h include/tprof/tprof_profile.h include/tprof/tprof_raw.h \
		include/tprof/tprof_event.h include/tprof/tprof_ledger.h \
		include/tprof/uapi/tprof.h \
		include/tprof/uapi/tprof_device.h include/tprof/uapi/tprof_device_filter.h \
		include/tprof/uapi/tprof_device_stream.h include/tprof/filter.bpf.h include/tprof/object.h \
		share/tprof/tprof-top.schema.json share/man/man1/tprof.1 share/man/man4/tprof.4 \
		share/bash-completion/completions/tprof; do
	check "$file" test -s "$prefix/$file"
done

is 'pkg-config: version' "$(pkg-config --modversion libtprof)" "$(cat VERSION)"
is 'tprof: version' "$("$prefix/bin/tprof" --version)" "tprof $(cat VERSION)"
is 'tprof: finds all its libraries' "$(ldd "$prefix/bin/tprof" | grep 'not found')" ''
like 'tprof: finds the installed filters' "$("$prefix/bin/tprof" list filters)" "$prefix/lib/tprof/filters/top.bpf.o"

cp examples/agent.c "$TMP/agent.c"
at_most 'agent: lines' "$(wc -l <examples/agent.c)" 60
agent C "${CC:-gcc}" -std=gnu11
agent C++ "${CXX:-g++}" -xc++
if [ "$(id -u)" -eq 0 ]; then
	# A busy loop, so that the agent finds a hot function.
	timeout 30 sh -c 'while :; do :; done' &
	busy=$!
	timeout 30 "$TMP/agent-C" >"$TMP/hottest" 2>"$TMP/complaint" &
	agent=$!
	comes '[0-9.]+ ?%.*[a-z]' cat "$TMP/hottest"
	kill $agent $busy
	wait $agent $busy
	like 'agent: prints the hottest functions' "$(cat "$TMP/hottest" "$TMP/complaint")" '[0-9.]+ ?%.*[a-z]'
else
	skip 'agent: prints the hottest functions' 'needs root'
fi
# shellcheck disable=SC2046
check 'loop: builds' "${CC:-gcc}" -std=gnu11 -Wall -Wextra -Werror -o "$TMP/loop" examples/loop.c \
	$(pkg-config --cflags --libs libtprof) "-Wl,-rpath,$prefix/lib"
like 'loop: says what its loops cost' "$("$TMP/loop" 2>&1)" \
	'^by column .*(cycles|instructions|task-clock) [1-9]|this thread may not count it'
# A program that uses the device directly needs only the header.
cp examples/device.c "$TMP/device.c"
check 'device: compiles' "${CC:-gcc}" -std=gnu11 -Wall -Wextra -Werror "-I$prefix/include" \
	-o "$TMP/device" "$TMP/device.c"
# shellcheck disable=SC2046
check 'agent: links statically with the library' "${CC:-gcc}" -o "$TMP/agent-static" "$TMP/agent.c" \
	$(pkg-config --cflags libtprof) "$prefix/lib/libtprof.a" \
	$(pkg-config --libs $(pkg-config --print-requires-private libtprof)) -liberty

check 'make uninstall' run_make uninstall
is 'nothing stays behind' "$(find "$prefix" -type f -o -type l)" ''
check 'make install DESTDIR=' run_make install "DESTDIR=$TMP/stage"
check 'DESTDIR stands before PREFIX' test -x "$TMP/stage$prefix/bin/tprof"
is 'DESTDIR is not written into files' "$(grep -rl "$TMP/stage" "$TMP/stage")" ''
is 'a second make builds nothing' "$(run_make all | grep '^  ')" ''
done_testing
