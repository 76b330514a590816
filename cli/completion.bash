# SPDX-License-Identifier: GPL-2.0-only
# bash completion for tprof. Commands, options and the words that these take come from the program itself
# (`tprof --complete`), so that nothing is listed twice; here is only where everything else comes from.

_tprof_candidates()
{
	case $1 in
	EVENT)	tprof list events 2>/dev/null | awk 'NR > 1 { print $1 }' ;;
	ENGINE)	echo perf kmod ;;
	FILTER)	tprof list filters 2>/dev/null | awk '/^[^ ]/ { print $1 }' ;;
	FORMAT)	tprof list formats 2>/dev/null | awk '{ print $1 }' ;;
	HOW)	echo fp dwarf none ;;
	NAME)	ps -eo comm= | awk 'NF == 1' | sort -u ;;
	PID)	ps -eo pid= ;;
	TID)	ps -eLo tid= ;;
	CPUS)	seq 0 $(($(getconf _NPROCESSORS_CONF) - 1)) ;;
	CGROUP)	( cd /sys/fs/cgroup 2>/dev/null && find . -mindepth 1 -maxdepth 3 -type d -printf '/%P\n' ) ;;
	[a-z]*)	echo "$1" ;;
	esac
}

# _tprof_files WORD END...: files whose names end so, and directories on the way to them
_tprof_files()
{
	local word=$1 end line
	shift

	compopt -o filenames
	while IFS= read -r line; do
		COMPREPLY+=("$line")
	done < <(for end; do compgen -f -X "!*$end" -- "$word"; done; compgen -d -- "$word")
}

# _tprof_values WORD KIND...: what a value or an operand may be
_tprof_values()
{
	local word=$1 kind listed=
	shift

	# The last one of a list
	case $1 in
	PID | TID | CPUS)
		[[ $word == *,* ]] && listed=${word%,*},
		word=${word##*,} ;;
	esac
	for kind; do
		case $kind in
		PROFILE)	_tprof_files "$word" .pb .pb.gz ;;
		FILTER)		_tprof_files "$word" .bpf.o ;;
		FILE)		compopt -o default ;;
		esac
		COMPREPLY+=($(compgen -P "$listed" -W "$(_tprof_candidates "$kind")" -- "$word"))
	done
}

# The values of an option, or of operands (.), as the program says
_tprof_kinds()
{
	awk -v option="$1" '$1 == option { $1 = ""; print }' <<<"$2"
}

_tprof()
{
	local word=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
	local options kinds i
	COMPREPLY=()

	if ((COMP_CWORD == 1)); then
		COMPREPLY=($(compgen -W "$(tprof --complete 2>/dev/null) help --help --version" -- "$word"))
		return
	fi
	if [[ $command == help ]]; then
		COMPREPLY=($(compgen -W "$(tprof --complete 2>/dev/null)" -- "$word"))
		return
	fi
	# Behind `--` the words belong to another command.
	for ((i = 2; i < COMP_CWORD; i++)); do
		if [[ ${COMP_WORDS[i]} == -- ]]; then
			compopt -o default
			return
		fi
	done
	# --option=value comes in three words.
	if [[ $word == = ]]; then
		word=
	elif [[ $option == = ]]; then
		option=${COMP_WORDS[COMP_CWORD - 2]}
	fi

	options=$(tprof --complete "$command" 2>/dev/null)
	kinds=
	[[ $option == -* ]] && kinds=$(_tprof_kinds "$option" "$options")
	if [[ -n ${kinds// } ]]; then
		_tprof_values "$word" $kinds
	elif [[ $word == -* ]]; then
		COMPREPLY=($(compgen -W "$(awk '$1 != "." { print $1 }' <<<"$options")" -- "$word"))
	else
		_tprof_values "$word" $(_tprof_kinds . "$options")
	fi
}

complete -F _tprof tprof
