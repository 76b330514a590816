# SPDX-License-Identifier: GPL-2.0-only
# bash completion for tprof. The program itself lists its commands, its options and the kinds of their values
# (`tprof --complete`), so that nothing is listed twice; this file only finds the candidates for each kind of value.

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

# _tprof_files WORD SUFFIX...: completes files with one of the suffixes, and directories
_tprof_files()
{
	local word=$1 end line
	shift

	compopt -o filenames
	while IFS= read -r line; do
		COMPREPLY+=("$line")
	done < <(for end; do compgen -f -X "!*$end" -- "$word"; done; compgen -d -- "$word")
}

# _tprof_values WORD KIND...: completes the value of an option, or an operand, of one of the kinds
_tprof_values()
{
	local word=$1 kind listed=
	shift

	# These values are lists: only the element after the last comma is completed.
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

# _tprof_kinds OPTION LINES: prints the kinds of values of an option, or of operands (`.`), from `tprof --complete`
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
	# Words after `--` belong to the profiled command.
	for ((i = 2; i < COMP_CWORD; i++)); do
		if [[ ${COMP_WORDS[i]} == -- ]]; then
			compopt -o default
			return
		fi
	done
	# bash splits --option=value into three words.
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
