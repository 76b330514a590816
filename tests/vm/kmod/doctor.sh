# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=x86-64,arm64,next not=debug,race all=arm64 seconds=60
# `tprof doctor` reports the state of the module: loaded, not loaded, not built for this kernel, inaccessible.
. "${0%/*}/../lib/live.sh"

# module JQ: prints a member of the report about the module
module() {
	jq -r ".probes[] | select(.name == \"module\") | $1" "$TMP/json"
}

examine() {
	"$TPROF" doctor --json >"$TMP/json" 2>"$TMP/stderr"
}

examine
is 'loaded: exit code' $? 0
is 'loaded: ok' "$(module .ok)" true
like 'loaded: with its version' "$(module .text)" '^/dev/tprof, version [0-9]+\.[0-9]+'
is 'loaded: nothing to mend' "$(module .mend)" null
is 'loaded: the engine can run' \
	"$(jq -r '.engines[] | select(.name == "kmod") | "\(.usable) \(.why)"' "$TMP/json")" 'true null'

su -s /bin/sh nobody -c "$TPROF doctor --json" >"$TMP/nobody" 2>/dev/null
is 'not for this user: absent' "$(jq -r '.probes[] | select(.name == "module").ok' "$TMP/nobody")" false
like 'not for this user: says so' "$(jq -r '.probes[] | select(.name == "module").text' "$TMP/nobody")" \
	'/dev/tprof may not be opened by this user'

# /dev/tprof is another device.
mv /dev/tprof /dev/tprof.real
ln -s /dev/null /dev/tprof
examine
is 'another device: absent' "$(module .ok)" false
like 'another device: says so' "$(module .text)" 'does not belong to the module'
rm /dev/tprof
examine
like 'no device node: says so' "$(module .text)" 'loaded, but /dev/tprof does not exist'
mv /dev/tprof.real /dev/tprof

check 'the module can be unloaded' unload_module
examine
is 'not loaded: the perf engine is left' $? 0
like 'not loaded: says so' "$(module .text)" 'the module tprof is not loaded'
like 'not loaded: what mends it' "$(module .mend)" 'modprobe tprof'
like 'not loaded: the engine says so' "$(jq -r '.engines[] | select(.name == "kmod").why' "$TMP/json")" 'not loaded'
check 'not loaded: it does mend it' modprobe tprof
examine
is 'not loaded: mended' "$(module .ok)" true
check 'the module can be unloaded' unload_module

dep=/lib/modules/$(uname -r)/modules.dep
mv "$dep" "$dep.away"
examine
is 'not built: says so, and for which kernel' "$(module .text)" \
	"the module tprof is not built for this kernel ($(uname -r))"
like 'not built: what mends it' "$(module .mend)" 'make install-kmod'
mv "$dep.away" "$dep"

done_testing
