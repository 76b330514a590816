# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=x86-64,next seconds=120
# `tprof filter check` asks the verifier about both halves of a filter; what the module's verifier refuses does not run.
. "${0%/*}/../lib/live.sh"

BAD=${0%/*}/../filters

for object in "$BUILD"/filters/*.bpf.o "$BAD/stacks.bpf.o"; do
	"$TPROF" filter check --json "$object" >"$TMP/check" 2>&1
	is "$(basename "$object" .bpf.o): both engines accept it" \
		"$(jq -r '.engines | map("\(.engine) \(.verdict) \(.verified > 0)") | join(", ")' "$TMP/check")" \
		'perf accepted true, kmod accepted true'
done

# refused OBJECT WHY: by the verifier of the module
refused() {
	like "$1: refused" "$("$TPROF" filter check "$BAD/$1.bpf.o" 2>&1 | sed -n '/engine kmod/,$p' | head -n 20)" \
		"engine kmod: refused: .*$2"
}

refused unbounded 'an index or a length is not bounded'
refused unlicensed GPL
refused too_large 'too large'
refuses 'unbounded: does not run' 2 "unbounded: the kernel's verifier refused it" "$TPROF" run "$BAD/unbounded.bpf.o"
is 'nothing of it is left' "$(bpftool prog show | grep -c unbounded)" 0

done_testing
