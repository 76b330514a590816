# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=x86-64,next not=debug,race seconds=120
# `tprof filter check` loads both programs of a filter, for perf and for the module; a filter that the verifier refuses
# for the module does not run there.
. "${0%/*}/../lib/live.sh"

BAD=${0%/*}/../filters

# bpftool.sh loads the others.
for object in "$BUILD/filters/top.bpf.o" "$BUILD/filters/dwarf.bpf.o" "$BAD/stacks.bpf.o"; do
	"$TPROF" filter check --json "$object" >"$TMP/check" 2>&1
	is "$(basename "$object" .bpf.o): both engines accept it" \
		"$(jq -r '.engines | map("\(.engine) \(.verdict) \(.verified > 0)") | join(", ")' "$TMP/check")" \
		'perf accepted true, kmod accepted true'
done

# refused OBJECT WHY: the verifier refuses the program for the module
refused() {
	like "$1: refused" "$("$TPROF" filter check "$BAD/$1.bpf.o" 2>&1 | sed -n '/engine kmod/,$p' | head -n 20)" \
		"engine kmod: refused: .*$2"
}

refused unbounded 'an index or a length is not bounded'
refused unlicensed GPL
refused too_large 'too large'
refused helper 'calls a helper that this engine.s programs may not call; docs/filters.md'
refused kernel_function 'calls a kernel function that filters may not call, .*docs/filters.md'
refuses 'unbounded: does not run' 2 "unbounded: the kernel's verifier refused it" "$TPROF" run "$BAD/unbounded.bpf.o"
is 'nothing of it is left' "$(bpftool prog show | grep -c unbounded)" 0

done_testing
