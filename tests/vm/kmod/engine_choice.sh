# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=x86-64,next,next-arm64 not=debug,race seconds=120
# The engine is the module if it is usable, or the one that was requested; tprof never changes it silently.
. "${0%/*}/../lib/live.sh"

# engine OPTION...: prints the engine of a short session; $TMP/said has the messages about it
engine() {
	"$TPROF" run --json -v --duration 1 -F 49 "$@" cpu 2>"$TMP/said" | jq -r .engine
}

is 'the module is there: it is used' "$(engine)" kmod
is 'the module is there: which goes without saying' "$(grep -c '^tprof: engine kmod' "$TMP/said")" 0
is '--engine perf' "$(engine --engine perf)" perf
is '--engine kmod' "$(engine --engine kmod)" kmod
like 'text names the engine' \
	"$("$TPROF" run --duration 1 -F 49 -e cpu-clock cpu 2>/dev/null | head -n 1)" '^# engine kmod, event cpu-clock'

# The device exists but does not work: tprof reports that and uses perf.
mv /dev/tprof /dev/tprof.real
ln -s /dev/null /dev/tprof
is 'it refuses: perf is used' "$(engine)" perf
like 'it refuses: said so' "$(cat "$TMP/said")" '^tprof: engine kmod: .*does not belong to the module tprof'
refuses 'it refuses: --engine kmod' 4 'engine kmod: .*does not belong to the module tprof' \
	"$TPROF" run --engine kmod --duration 1 cpu
rm /dev/tprof
mv /dev/tprof.real /dev/tprof

check 'the module can be unloaded' unload_module
is 'it is not there: perf is used' "$(engine)" perf
is 'it is not there: which goes without saying' "$(grep -c '^tprof: engine kmod' "$TMP/said")" 0
refuses 'it is not there: --engine kmod' 4 'engine kmod: the module tprof is not loaded' \
	"$TPROF" run --engine kmod --duration 1 cpu
refuses 'no such engine' 2 'engine warp' "$TPROF" run --engine warp --duration 1 cpu
like 'filter check: not checked' "$("$TPROF" filter check cpu 2>&1)" \
	'engine kmod: not checked: the module is not loaded'

done_testing
