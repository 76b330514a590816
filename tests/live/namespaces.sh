#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=20
# Functions of a program in its own mount and PID namespaces, with another root, have their names from the files of that
# program. tprof itself works in PID and time namespaces.
. "${0%/*}/../lib/live.sh"

for tool in unshare chroot strip objcopy; do
	command -v "$tool" >"$TMP/path" || skip_all "no $tool"
done
unshare --mount --pid --fork true 2>"$TMP/stderr" || skip_all 'no namespaces of mounts and processes'

# The program is stripped, and its debug file exists only in its own root. Outside, another program has the same path.
root=$TMP/root
mkdir -p "$root/bin" "$root/usr/lib/debug/bin" "$root/proc" "$root/tmp"
cp "$WORKLOAD/inlined" "$root/bin/contained"
ldd "$root/bin/contained" | grep -o '/[^ ]*' | while read -r library; do
	mkdir -p "$root${library%/*}"
	cp -L "$library" "$root$library"
done
(
	cd "$root/bin" || exit
	objcopy --only-keep-debug contained ../usr/lib/debug/bin/contained.debug
	strip --strip-all contained
	objcopy --add-gnu-debuglink=../usr/lib/debug/bin/contained.debug contained
)
contained='unshare --mount --pid --fork --kill-child chroot'

# shellcheck disable=SC2086 # words
"$TPROF" record --lines --inline -F 997 -o "$TMP/a.pb.gz" -- $contained "$root" /bin/contained 1 2>"$TMP/stderr"
report() {
	"$TPROF" report -i "$TMP/a.pb.gz" --by "$1" --json | jq -r "$2"
}
own='[.rows[] | select(.object == "contained" and .self.samples > 0)]'
within 'its functions have names' "$(report function "$own"' |
	(map(select(.name == "innermost").self.weight) | add) * 100 /
	(map(.self.weight) | add)')" 100 2
is 'and lines, from the debug file in its root' "$(report line "$own | .[0].file | sub(\".*/\"; \"\")")" inlined.c
# shellcheck disable=SC2086 # words
background $contained "$root" /bin/contained 30
comes . pgrep -x contained
seconds=1 profile "$TMP/json" --comm contained -F 997
is 'while it runs, too' "$(jq -r '[.functions[] | select(.object == "contained")][0].symbol' "$TMP/json")" outer
# Only SIGKILL ends the first process of a PID namespace; unshare waits for it.
kill -KILL "$(ps -o pid= --ppid "$pid" | tr -d ' ')" && wait "$pid" 2>"$TMP/stderr"

# The same path is another program outside the namespace: its names are not used.
mkdir -p "$TMP/here"
cp "$WORKLOAD/spin" "$TMP/here/program"
background unshare --mount sh -c \
	"mount --bind '$WORKLOAD/inlined' '$TMP/here/program' && exec '$TMP/here/program' 60"
comes . pgrep -x program
seconds=1 profile "$TMP/json" --comm program -F 997
is 'another program at the same path' "$(jq -r '.functions[0].symbol' "$TMP/json")" outer
end "$pid"

# On overlayfs with layers on several file systems, stat(2) reports another device than the records of mappings. The
# processes have ended before their program is opened, so only its path remains to find and identify the file.
mkdir -p "$TMP/lower" "$TMP/upper" "$TMP/union"
cat >"$TMP/overlay.sh" <<EOF
mount -t tmpfs none "$TMP/lower" && mount -t tmpfs none "$TMP/upper" && mkdir "$TMP/upper/new" "$TMP/upper/work" &&
	mount -t overlay none "$TMP/union" \
		-o "lowerdir=$TMP/lower,upperdir=$TMP/upper/new,workdir=$TMP/upper/work" || exit 99
cp "$WORKLOAD/spin" "$TMP/lower/layered"
"$TPROF" top --json --duration 3 -F 997 --comm layered 2>"$TMP/stderr" >"$TMP/json" &
"$TMP/union/layered" --seconds 4 --fork 100 --exec
wait
EOF
unshare --mount sh "$TMP/overlay.sh" >"$TMP/stdout" 2>&1
if [ $? -eq 99 ]; then
	skip 'on overlayfs: short-lived programs have their names' "no overlayfs: $(tail -n 1 "$TMP/stdout")"
else
	at_most 'on overlayfs: samples of short-lived programs without a function, percent' "$(jq -r '
		[.functions[] | select(.comm == "layered" and .mode == "user")] |
		(map(select(.symbol | startswith("[")).samples) | add // 0) * 100 / (map(.samples) | add // 0.01)' \
		"$TMP/json")" 1
	closes 'on overlayfs' "$TMP/json" 0
fi

# tprof in a PID namespace: the BPF programs of the perf engine see PIDs of the initial namespace.
own='unshare --pid --fork --mount-proc'
for scope in '-p 1' '-t 1' '-- true'; do
	# shellcheck disable=SC2086 # words
	refuses "in a pid namespace: $scope" 4 '[0-9]: .*pid namespace' \
		$own "$TPROF" top --engine perf --batch --duration 1 $scope
done
# These PIDs cannot be used for names: the PID of a process outside may be the PID of another process inside.
background "$WORKLOAD/spin" --seconds 60
cat >"$TMP/inside.sh" <<EOF
echo $((pid - 1)) >/proc/sys/kernel/ns_last_pid
"$WORKLOAD/inlined" 20 &
[ \$! -eq $pid ] || exit 99
"$TPROF" top --json --engine perf -F 997 --duration 2 >"$TMP/json" 2>"$TMP/stderr"
EOF
# shellcheck disable=SC2086 # words
check 'in a pid namespace: the system' $own sh "$TMP/inside.sh"
is 'a number that is in both: no name' "$(jq -r --argjson pid "$pid" \
	'[.functions[] | select(.pid == $pid and .mode == "user") | "\(.comm) \(.symbol)"] | unique[]' "$TMP/json")" \
	' [unknown]'
is 'the kernel has its names' "$(jq '[.functions[] | select(.mode == "kernel" and .symbol != "[unknown]")] |
	length > 0' "$TMP/json")" true
like 'and that is said' "$(cat "$TMP/stderr")" '^tprof: .*pid namespace'

# The kernel timestamps records with the clock of the host; in a time namespace the clock is ahead of it, or behind.
if unshare --time true 2>"$TMP/stderr"; then
	time_namespace() {
		check "$1: records" unshare --time --monotonic "$2" --boottime "$2" "$TPROF" record "$3" -F 997 \
			--user-only -o "$TMP/b" -- "$WORKLOAD/spin" --seconds 1
		"$TPROF" report -i "$TMP/b" --json >"$TMP/json"
		ledger_closes "$1" "$TMP/json"
		is "$1: what starts has names" "$(jq -r '[.rows[] | select(.object == "spin")] |
			max_by(.self.samples).name' "$TMP/json")" hot
	}
	time_namespace 'in a time namespace' 100000 --call-graph=fp
	time_namespace 'in a time namespace, dwarf' 100000 --call-graph=dwarf
	time_namespace 'in a time namespace, raw' 100000 --raw
	time_namespace 'in one whose clock is behind' -1 --call-graph=fp
	like 'and doctor knows it' "$(unshare --time --monotonic 100000 "$TPROF" doctor)" \
		'^ok +time_namespace .*own.* 100000\.000 s'
	like 'as it knows the initial one' "$("$TPROF" doctor)" '^ok +time_namespace +the initial namespace'
else
	skip 'in a time namespace' 'no time namespaces'
fi

done_testing
