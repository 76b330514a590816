#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=3
# A lack of privileges or kernel features is reported with one sentence, one command that fixes it, and exit code 4.
. "${0%/*}/../lib/live.sh"

# The user nobody may have no access to the build directory.
mkdir "$TMP/bin"
cp "$TPROF" "$TMP/bin/tprof"
cp -r "$BUILD/filters" "$TMP/bin/filters"
chmod -R a+rX "$TMP"

cat >"$TMP/hide" <<'END'
mount -t proc -o hidepid=1 proc /proc && exec "$@"
END

# nobody COMMAND...: runs it as that user; with $hide, where processes of other users are listed but cannot be read
nobody() {
	${hide:+unshare -m sh "$TMP/hide"} setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
}

# with_caps CAPS COMMAND...: runs it as the user nobody with these capabilities; exec keeps them, because they are
# inheritable and ambient
with_caps() {
	caps=$(echo "+$1" | sed 's/,/,+/g')
	shift
	nobody --inh-caps "$caps" --ambient-caps "$caps" --bounding-set "-all,$caps" "$@"
}

as_nobody() {
	nobody "$TMP/bin/tprof" "$@"
}

refuses 'not root' 4 '' as_nobody top --batch --duration 1
like 'not root: says which rights' "$(cat "$TMP/stderr")" 'root|CAP_|sudo|privilege'
refuses 'not root: run' 4 '' as_nobody run top --duration 1
is 'not root: doctor' "$(code as_nobody doctor)" 4
like 'not root: doctor says what mends it' "$(as_nobody doctor 2>&1)" 'sudo|setcap|CAP_'
is 'not root: help works' "$(code as_nobody top --help)" 0
is 'not root: list events works' "$(code as_nobody list events)" 0

# BPF is permitted, but perf events are not: perf_event_paranoid or CAP_PERFMON would permit them.
if [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -ge 1 ]; then
	with_bpf() { with_caps bpf "$TMP/bin/tprof" "$@"; }
	refuses 'perf_event_paranoid too high' 4 '' with_bpf top --batch --duration 1
	like 'perf_event_paranoid too high: named' "$(cat "$TMP/stderr")" 'perf_event_paranoid|CAP_PERFMON|perfmon'
else
	skip 'perf_event_paranoid too high' 'it is low here, and tests do not change the system'
	skip 'perf_event_paranoid too high: named' 'it is low here, and tests do not change the system'
fi

# The documented capabilities are sufficient.
with_enough() { with_caps bpf,perfmon,sys_ptrace "$TMP/bin/tprof" "$@"; }
check 'CAP_BPF and CAP_PERFMON are enough' with_enough top --batch --duration 1

# They are also sufficient if processes of other users are hidden.
is 'hidepid: what is seen of others' "$(hide=yes nobody sh -c 'ls -d /proc/1; cat /proc/1/stat' 2>/dev/null)" /proc/1
with_hidden() { hide=yes with_caps bpf,perfmon "$TMP/bin/tprof" "$@"; }
check 'hidepid: a command is sampled' with_hidden top --batch -- sleep 1

# A kernel without BTF: a tmpfs hides the BTF file, in the mount namespace of this command.
without_btf() {
	# shellcheck disable=SC2016 # expanded by the inner shell
	unshare -m sh -c 'mount -t tmpfs none /sys/kernel/btf && exec "$@"' sh "$TPROF" "$@"
}
refuses 'no BTF' 4 '' without_btf top --batch --duration 1
like 'no BTF: named' "$(cat "$TMP/stderr")" 'BTF'
is 'no BTF: doctor' "$(code without_btf doctor)" 4

# Without /proc, the error message is about /proc.
if unshare -m true 2>/dev/null; then
	# shellcheck disable=SC2016 # expanded by the inner shell
	without_proc() { unshare -m sh -c 'mount -t tmpfs none /proc && exec "$@"' sh "$TPROF" "$@"; }
	for command in 'top --batch' 'record --raw'; do
		# shellcheck disable=SC2086 # words
		without_proc $command --duration 1 >"$TMP/stdout" 2>"$TMP/stderr"
		is "no /proc: $command: what is missing" "$(head -n 1 "$TMP/stderr")" \
			'tprof: /proc is not mounted: processes cannot be found or named'
		is "no /proc: $command: what to do" "$(sed 1d "$TMP/stderr")" 'hint: mount -t proc proc /proc'
	done
else
	skip 'no /proc' 'no mounts here'
fi

# A limit on locked memory does not matter for BPF maps since Linux 5.11.
check 'no memory may be locked' sh -c "ulimit -l 0 && exec '$TPROF' top --batch --duration 1"

# The lack of descriptors is reported with one sentence and a hint, wherever it occurs.
# shellcheck disable=SC2016 # expanded by the inner shell
few_files() { sh -c 'ulimit -n "$1" && shift && exec "$@"' sh "$1" "$TPROF" top --batch --duration 1; }
for files in 5 6 7 8 9 10 11 12; do
	few_files $files >"$TMP/stdout" 2>"$TMP/stderr"
	is "$files descriptors: refused" $? 1
	like "$files descriptors: why" "$(head -n 1 "$TMP/stderr")" '^tprof: .*[Tt]oo many open files'
	is "$files descriptors: what to do" "$(sed 1d "$TMP/stderr")" \
		'hint: raise the limit of open files: ulimit -Hn, or LimitNOFILE= of a service'
done

# tprof raises the soft limit of descriptors if permitted; the command keeps the original limit.
few_at_first() { sh -c 'ulimit -Sn 12 && exec "$@"' sh "$TPROF" "$@"; }
# shellcheck disable=SC2016 # expanded by the inner shell
check 'few descriptors at first' few_at_first record -o "$TMP/profile" -- sh -c 'ulimit -Sn >"$0"' "$TMP/limit"
is 'few descriptors at first: the limit of the command' "$(cat "$TMP/limit")" 12

check 'doctor: all is there' "$TPROF" doctor

done_testing
