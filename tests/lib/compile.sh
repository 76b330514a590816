# SPDX-License-Identifier: GPL-2.0-only
# Builds programs of a test with an archive of the library and its private headers. Needs tap.sh.

# compile OUTPUT LIBRARY FILE|FLAG...: compiles and links with $CC (cc)
compile() {
	compile_output=$1 compile_library=$2
	shift 2
	# shellcheck disable=SC2046 # libraries are words
	"${CC:-cc}" -std=gnu11 -D_GNU_SOURCE -g -O1 -Iinclude -Ilibtprof "$@" "$compile_library" \
		$(pkg-config --libs libbpf libdw libelf liblzma jansson libprotobuf-c zlib libzstd) -liberty \
		-o "$compile_output" || bail "cannot build ${compile_output##*/}"
}
