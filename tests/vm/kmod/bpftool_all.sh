# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=x86-64,next not=debug,race all=x86-64 seconds=240
# As bpftool.sh, with the other shipped filters.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/bpftool.sh"

others=
for object in "$BUILD"/filters/*.bpf.o; do
	filter=$(basename "$object" .bpf.o)
	case $filter in comm | cpu | stacks | threads | top) continue ;; esac
	others="$others $filter"
done
# shellcheck disable=SC2086 # words
bpftool_shows $others
done_testing
