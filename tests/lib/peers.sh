# SPDX-License-Identifier: GPL-2.0-only
# Runs several profilers at the same time on workloads with a known answer, and compares how far each is from the truth,
# how many samples it lost, and how much CPU time it used. For tests that sourced live.sh, on the running kernel or in a
# guest (sh of busybox).
#
#	peers_begin TOOL...		starts the tools and waits until all sample: tprof_perf, tprof_kmod, perf,
#					perf_top, bpftrace
#	peers_end [WITHOUT]		stops the tools and reads their results
#	peers_row WHAT HOW TRUTH ...	compares the results of each tool with the known answer of a question
#	peers_table, peers_judge	print all rows so far, and check them
#
# The distance is half the sum of the differences of all shares, in points. This is also the largest difference of the
# share of any group of functions or processes.

PEERS_HZ=${PEERS_HZ:-997}
# Random errors of 1,600 samples are up to 5 points, of 400 samples up to 10 (peers_judge).
peers_enough=${PEERS_ENOUGH:-1600}
# The workloads have process names that no other process has.
peers_prefix=w$$.
peers_rows=$TMP/rows
: >"$peers_rows"
mkfifo "$TMP/control" "$TMP/answers" "$TMP/keys"
# Opened for reading and writing, so that the open does not wait for the other end.
exec 7<>"$TMP/keys" 8<>"$TMP/control" 9<>"$TMP/answers"

# peers_launch TOOL COMMAND...: starts it in the background; its CPU time is written to $TMP/TOOL.took
peers_launch() {
	peers_tool=$1
	shift
	rm -f "$TMP/$peers_tool.took" "$TMP/$peers_tool.took.pid"
	"$WORKLOAD/took" "$TMP/$peers_tool.took" "$@" >"$TMP/$peers_tool.out" 2>"$TMP/$peers_tool.err" <&7 &
	eval "peers_pid_$peers_tool=$!"
	at_exit "kill -9 \$(cat '$TMP/$peers_tool.took.pid') 2>/dev/null"
}

# All tools sample at the same rate with the same clock. All but perf top record call stacks, and all but bpftrace
# sample all processes.
peers_start() {
	case $1 in
	tprof_*)
		peers_launch "$1" "$TPROF" record --engine "${1#tprof_}" -e cpu-clock -F "$PEERS_HZ" -g \
			-o "$TMP/$1.pb.gz"
		;;
	perf)
		peers_launch perf perf record -q -a -g -B -N --no-bpf-event -e cpu-clock -F "$PEERS_HZ" \
			-o "$TMP/perf.data" -D -1 --control "fifo:$TMP/control,$TMP/answers"
		;;
	perf_top)
		# With -z each screen has only the samples since the previous one; all screens are added up.
		LINES=100000 COLUMNS=300 peers_launch perf_top stdbuf -oL perf top --stdio -e cpu-clock \
			-F "$PEERS_HZ" -z -d 2 -n -s pid,sym --percent-limit 0
		;;
	bpftrace)
		# Only the workload, and only two frames: symbolizing all stacks of a busy machine takes minutes.
		BPFTRACE_MAP_KEYS_MAX=65536 peers_launch bpftrace bpftrace -f json -e "
			profile:hz:$PEERS_HZ /strncmp(comm, \"$peers_prefix\", ${#peers_prefix}) == 0/ {
				@[pid, comm, kstack(2), ustack(2)] = count(); }
			interval:ms:100 { printf(\"up\"); }"
		;;
	esac
}

# peers_name NAME [PROGRAM]: makes a link to a workload, with a unique name: $name is its path, $comm its process name
peers_name() {
	name=$TMP/$peers_prefix$1
	comm=$(printf %.15s "${name##*/}")
	[ -e "$name" ] || ln -s "$(realpath "$WORKLOAD/${2:-$1}")" "$name"
}

peers_has_events() {
	ls -l "/proc/$(cat "$TMP/$1.took.pid")/fd" | grep -q 'anon_inode:.*\(perf_event\|tprof\)'
}

peers_ready() {
	case $1 in
	tprof_*) await peers_has_events "$1" ;;
	perf)
		echo enable >&8
		timeout 30 head -n 1 <&9 | grep -q ack
		;;
	perf_top) await grep -q PerfTop "$TMP/perf_top.out" ;;
	bpftrace) await grep -q up "$TMP/bpftrace.out" ;;
	esac
}

peers_start_all() {
	for tool; do
		peers_start "$tool"
	done
	for tool; do
		peers_ready "$tool" && continue
		diag "$tool does not start: $(tail -n 3 "$TMP/$tool.err")"
		return 1
	done
}

peers_begin() {
	# perf 6.1 fails to read a recording in which BPF programs come and go.
	peers_tools=$* peers_first= peers_last=
	for tool; do
		case $tool in
		perf*) peers_last="$peers_last $tool" ;;
		*) peers_first="$peers_first $tool" ;;
		esac
	done
	# shellcheck disable=SC2086 # words
	peers_start_all $peers_first && peers_start_all $peers_last || return
	# The time from the last visible step of a tool to its first sample.
	sleep 0.5
}

# perf top does not end on SIGINT while it waits for a key.
peers_stop() {
	case $1 in
	perf_top) kill -9 "$(cat "$TMP/$1.took.pid")" ;;
	*) kill -INT "$(cat "$TMP/$1.took.pid")" ;;
	esac
}

peers_picture() {
	[ "$(grep -c PerfTop "$TMP/perf_top.out")" -gt "$peers_pictures" ]
}

# peers_end [WITHOUT]: stops the tools and writes their results, in columns between tabs: $TMP/TOOL.leaves has samples,
# process, process name, user or kernel, function or ?, and the weight in periods if the tool has it; $TMP/TOOL.chains
# has samples, process name, and call stack from the root; $TMP/TOOL.lost has the samples that the tool reports as lost,
# and all samples. Fails if a tool has failed; with WITHOUT it continues without failed tools, unless tprof has failed
# or no other tool is left.
peers_end() {
	case " $peers_tools " in
	*' perf_top '*)
		# The current screen is incomplete: wait for its end and one more screen.
		peers_pictures=$(($(grep -c PerfTop "$TMP/perf_top.out") + 1))
		await peers_picture
		;;
	esac
	# The tools end in reverse order.
	for tool in $peers_last $peers_first; do
		peers_stop "$tool"
		[ "$tool" != perf ] || await test -s "$TMP/perf.took"
	done
	peers_failed=
	for tool in $peers_tools; do
		await test -s "$TMP/$tool.took" || kill -9 "$(cat "$TMP/$tool.took.pid")"
		eval "wait \$peers_pid_$tool"
		peers_read "$tool" 2>"$TMP/$tool.read" && [ -s "$TMP/$tool.leaves" ] && continue
		diag "$tool has failed: $(tail -q -n 2 "$TMP/$tool.err" "$TMP/$tool.read")"
		peers_failed="$peers_failed $tool"
	done
	[ -z "$peers_failed" ] || [ -n "$1" ] || return
	for tool in $peers_failed; do
		case $tool in
		tprof_*) return 1 ;;
		esac
		peers_tools=$(echo " $peers_tools " | sed "s/ $tool / /")
	done
	[ "$(echo "$peers_tools" | wc -w)" -gt 1 ]
}

peers_read() {
	case $1 in
	tprof_*) peers_read_tprof "$1" ;;
	*) "peers_read_$1" ;;
	esac
}

# Functions of these programs are compared. A sample without a symbol counts as ? if it is in one of them or in no file.
peers_own='spin|callers|bursts|in_step'

peers_read_tprof() {
	"$TPROF" export -i "$TMP/$1.pb.gz" -f json >"$TMP/$1.json" &&
		"$TPROF" export -i "$TMP/$1.pb.gz" -f folded >"$TMP/$1.folded" || return
	jq -r --arg own "$peers_own" --argjson period "$(jq .period "$TMP/$1.json")" \
		'.functions[] | [.samples, .pid, .comm, .mode, if (.symbol | startswith("[")) and
			(.object // "[" | test("^(\\[|" + $own + "$)")) then "?" else .symbol end,
			.weight / $period] |
			@tsv' \
		"$TMP/$1.json" >"$TMP/$1.leaves"
	awk -v period="$(jq .period "$TMP/$1.json")" '{
		weight = $NF
		sub(/ [0-9]+$/, "")
		comm = $0
		sub(/;.*/, "", comm)
		sub(/^[^;]*;/, "")
		printf "%.0f\t%s\t%s\n", weight / period, comm, $0
	}' "$TMP/$1.folded" >"$TMP/$1.chains"
	# Samples that were not taken because the CPU was idle are no loss.
	jq -r '.ledger | "\(([.lost[]] | add) - .lost.idle_missed) \(.done)"' "$TMP/$1.json" >"$TMP/$1.lost"
}

peers_read_perf() {
	"$WORKLOAD/took" "$TMP/perf.read_took" perf script --no-inline --show-lost-events -i "$TMP/perf.data" \
		-F comm,pid,tid,ip,sym,dso >"$TMP/perf.script" || return
	awk -v own="^($peers_own)\$" -v leaves="$TMP/perf.leaves" -v chains="$TMP/perf.chains" \
		-v lost="$TMP/perf.lost" '
		/PERF_RECORD_LOST/ { told += $NF; next }
		!inside && NF {
			pid = $NF
			sub(/\/.*/, "", pid)
			comm = $0
			sub(/ +[0-9-]+\/[0-9-]+ *$/, "", comm)
			sub(/^ +/, "", comm)
			inside = 1
			chain = ""
			next
		}
		inside && NF {
			name = $0; sub(/^[ \t]*[0-9a-f]+ /, "", name)
			object = name; sub(/ \([^(]*\)$/, "", name); sub(/^.*\(/, "", object); sub(/\)$/, "", object)
			if (chain == "") {
				mode = $1 ~ /^ffff/ && length($1) == 16 ? "kernel" : "user"
				leaf = name
				short = object; sub(/^.*\//, "", short)
				if (name == "[unknown]" && (object == "[unknown]" || short ~ own))
					leaf = "?"
			}
			chain = name (chain == "" ? "" : ";") chain
			next
		}
		inside { done() }
		END { if (inside) done(); print told + 0, all > lost }
		function done() {
			print 1 "\t" pid "\t" comm "\t" mode "\t" leaf > leaves
			print 1 "\t" comm "\t" chain > chains
			all++
			inside = 0
		}' "$TMP/perf.script"
}

# The last, incomplete screen has only samples from after the workload. The header of a screen reports losses as
# "lost: N/ALL drop: N/ALL".
peers_read_perf_top() {
	awk -v leaves="$TMP/perf_top.leaves" -v lost="$TMP/perf_top.lost" '
		/PerfTop:/ { told = $0; drop = told
			sub(/.*lost: [0-9]*\//, "", told); sub(/.*drop: [0-9]*\//, "", drop); told += drop }
		$1 ~ /%$/ && / \[[.k]\] / {
			pid = $3; sub(/:.*/, "", pid)
			comm = $0; sub(/^[^:]*:/, "", comm); sub(/ +\[.\] .*/, "", comm)
			name = $0; sub(/^.* \[.\] /, "", name); sub(/ +$/, "", name)
			line[nr++] = $2 "\t" pid "\t" comm "\t" (/ \[k\] / ? "kernel" : "user") "\t" \
				(name ~ /^0x/ ? "?" : name)
			all += $2
		}
		END { for (i = 0; i < nr; i++) print line[i] > leaves; print told + 0, all > lost }' "$TMP/perf_top.out"
	: >"$TMP/perf_top.chains"
}

peers_read_bpftrace() {
	# A key is "PID,NAME,KERNEL-STACK,USER-STACK"; a stack that is not empty begins and ends with a newline. Keys of
	# different stacks without symbols may be equal.
	grep '"type": "map"' "$TMP/bpftrace.out" | jq -r --stream 'select(length == 2 and .[0][0] == "data") |
		.[1] as $count | (.[0][2] | split("\n")) as $lines |
		($lines[0] | split(",")) as $head | ($lines | index(",")) as $comma |
		($lines[1:] | map(select(. != "," and . != "") | gsub("^ +|\\+[0-9]+$"; "")) |
			map(if startswith("0x") then "?" else . end)) as $frames |
		[$count, $head[0], $head[1], (if $comma then "kernel" else "user" end), $frames[0] // "?",
			($frames | reverse | join(";"))] | @tsv' >"$TMP/bpftrace.all"
	cut -f 1-5 "$TMP/bpftrace.all" >"$TMP/bpftrace.leaves"
	cut -f 1,3,6 "$TMP/bpftrace.all" >"$TMP/bpftrace.chains"
	# bpftrace reports lost events, but not samples that a full map has dropped.
	sed -n 's/.*[Ll]ost \([0-9]*\) events.*/\1/p' "$TMP/bpftrace.err" | cat - "$TMP/bpftrace.leaves" |
		awk '{ if (NF == 1) told += $1; else all += $1 } END { print told + 0, all + 0 }' >"$TMP/bpftrace.lost"
}

# peers_row WHAT HOW TRUTH WHO CPU-NS: adds a row for each tool that can answer the question WHAT. HOW is one of
#
#	functions	shares of functions in user mode; samples without a symbol count as a function that is wrong
#	callers		shares of the callers of shared(), of the call stacks whose leaf is shared()
#	processes	shares of processes, by their PIDs
#	user		shares of processes, of the samples in user mode
#
# TRUTH is a file of lines "NAME NUMBER". WHO has the PIDs of the processes or their common name. CPU-NS is the CPU time
# of the processes, from which the number of samples due is computed.
peers_row() {
	for tool in $peers_tools; do
		from=$TMP/$tool.leaves
		[ "$2" != callers ] || from=$TMP/$tool.chains
		[ -s "$from" ] || continue
		cost=$(cat "$TMP/$tool.took" "$TMP/$tool.read_took" 2>/dev/null | awk '{ n += $1 } END { print n }')
		read -r told all <"$TMP/$tool.lost"
		case $tool in
		tprof_*) hz=$(jq '1e9 / .period' "$TMP/$tool.json") ;;
		*) hz=$PEERS_HZ ;;
		esac
		awk -F '\t' -v what="$1" -v how="$2" -v who="$4" -v cpu_ns="$5" -v hz="$hz" -v tool="$tool" \
			-v told="$told" -v all="$all" -v cost="$cost" -v truth="$3" -v leaves="$TMP/$tool.leaves" '
			function its(pid, comm) { return comm == who || index(" " who " ", " " pid " ") }
			BEGIN {
				while ((getline line < truth) > 0) {
					split(line, word, " ")
					want[word[1]] = word[2]
					wanted += word[2]
				}
				# All samples of these processes, in user mode and in the kernel.
				while ((getline line < leaves) > 0) {
					split(line, field, "\t")
					if (its(field[2], field[3]))
						had += field[6] != "" ? field[6] : field[1]
				}
			}
			how == "functions" && its($2, $3) && $4 == "user" { count($5 in want || $5 == "?" ? $5 : "") }
			how == "processes" && its($2, $3) { count($2) }
			how == "user" && its($2, $3) && $4 == "user" { count($2) }
			how == "callers" && $2 == who && $3 ~ /;?shared$/ {
				n = split($3, frame, ";")
				count(n > 1 && frame[n - 1] in want ? frame[n - 1] : "?")
			}
			function count(name) {
				if (name == "")
					return
				got[name] += $1
				n_all += $1
			}
			END {
				for (name in want)
					sum += distance(share(got[name]), 100 * want[name] / wanted)
				sum += share(got["?"])
				# Without any sample the distance is the largest possible one.
				if (!n_all)
					sum = 200
				expected = cpu_ns / 1e9 * hz
				# Lost samples may belong to any process: these processes get their share.
				told *= all ? had / all : 0
				untold = expected - had - told
				for (name in want)
					shares = shares sprintf("%s %.1f, ", name, share(got[name]))
				sub(/, $/, "", shares)
				printf "%s\t%s\t%.2f\t%d\t%.0f\t%d\t%.0f\t%.0f\t%.0f\t%s\n", what, tool, sum / 2, n_all,
					expected, had, told, untold, cost / 1e6, shares
			}
			function share(nr) { return 100 * nr / (n_all ? n_all : 1) }
			function distance(a, b) { return a > b ? a - b : b - a }' "$from" >>"$peers_rows"
	done
}

# peers_closes WHAT TOOL: the ledger of a recording closes. A sample whose call stack does not fit into the table counts
# as done, and as table_full.
peers_closes() {
	ledger_closes "$1" "$TMP/$2.json"
	is "$1: the functions add up to what was counted" \
		"$(jq -r '([.functions[].samples] | add) - .ledger.aggregated' "$TMP/$2.json")" 0
}

# peers_few WHAT: succeeds if tprof has too few samples for this question
peers_few() {
	awk -F '\t' -v what="$1" -v enough="$peers_enough" '$1 == what && $2 ~ /^tprof/ && $4 < enough { few = 1 }
		END { exit !few }' "$peers_rows"
}

# peers_forget WHAT: removes the rows of a question that is measured again
peers_forget() {
	awk -F '\t' -v what="$1" '$1 != what' "$peers_rows" >"$TMP/rows.new"
	mv "$TMP/rows.new" "$peers_rows"
}

peers_table() {
	diag "$(awk -F '\t' '
		BEGIN {
			form = "%-26s %-10s %8s %7s %7s %7s %6s %6s %6s  %s\n"
			printf form, "", "", "points", "", "samples", "", "lost,", "lost,", "CPU", ""
			printf form, "question", "tool", "off", "shares", "due", "had", "told", "untold", "ms", "shares"
		}
		{ printf form, $1 == last ? "" : $1, $2, $3, $4, $5, $6, $7, $8, $9, $10; last = $1 }' "$peers_rows")"
}

# The limits are four standard deviations. The distance is the largest difference of any group of functions; the share
# of a group in n samples has a standard deviation of at most 0.5/sqrt(n), so the limit is 200/sqrt(n) points. For two
# tools with independent samples the variances add up. The number of samples of a process in a given CPU time has at
# most the variance of the number due: each time slice adds at most 1/4, and a slice that is shorter than a period adds
# less than the samples due in it.
peers_judge() {
	awk -F '\t' -v enough="$peers_enough" '
		# The awk of busybox has no sqrt().
		function root(x,  i, r) {
			r = x > 1 ? x : 1
			for (i = 0; i < 60; i++)
				r = (r + x / r) / 2
			return r
		}
		function chance(a, b) { return 200 * root((a ? 1 / a : 1) + (b ? 1 / b : 0)) }
		function verdict(good, text, why) {
			printf "%s\t%s\t%s\n", good ? "ok" : "not ok", text, why
		}
		{ nr++; what[nr] = $1; tool[nr] = $2; off[nr] = $3; n[nr] = $4; due[nr] = $5; lost[nr] = $7 + $8 }
		END {
			for (i = 1; i <= nr; i++) {
				if (tool[i] !~ /^tprof/)
					continue
				text = what[i] ": " tool[i]
				verdict(n[i] >= enough, text " has enough samples", n[i])
				verdict(off[i] <= chance(n[i]), text " tells the truth",
					off[i] " points off, chance is " chance(n[i]))
				for (j = 1; j <= nr; j++) {
					if (what[j] != what[i] || tool[j] ~ /^tprof/)
						continue
					verdict(off[i] - off[j] <= chance(n[i], n[j]), text " is as near as " tool[j],
						off[i] " and " off[j] " points off, chance is " chance(n[i], n[j]))
					# A tool whose shares are wrong has too many samples, or too few: its
					# losses are not compared.
					if (off[j] > chance(n[j]))
						continue
					least = lost[j] > 0 ? lost[j] : 0
					verdict(lost[i] - least <= 4 * root(due[i] + due[j]),
						text " loses no more than " tool[j],
						lost[i] " and " lost[j] " of " due[i])
				}
			}
			if (!nr)
				verdict(0, "there are rows", "none")
		}' "$peers_rows" >"$TMP/verdicts"
	while IFS='	' read -r verdict text why; do
		case $verdict in
		ok) ok "$text" ;;
		*) not_ok "$text" "$why" ;;
		esac
	done <"$TMP/verdicts"
}
