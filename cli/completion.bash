# SPDX-License-Identifier: GPL-2.0-only
# bash completion for tprof. Commands and options come from the program itself (`tprof --complete`), so that
# nothing is listed twice; here is only where the arguments of an option come from.

_tprof_candidates()
{
	case $1 in
	EVENT)	tprof list events 2>/dev/null | awk '{ print $1 }' ;;
	ENGINE)	echo perf kmod ;;
	FILTER)	tprof list filters 2>/dev/null | awk '{ print $1 }' ;;
	FORMAT)	tprof list formats 2>/dev/null | awk '{ print $1 }' ;;
	HOW)	echo fp none ;;
	PID)	ps -eo pid= ;;
	CGROUP)	( cd /sys/fs/cgroup 2>/dev/null && find . -mindepth 1 -maxdepth 3 -type d -printf '/%P\n' ) ;;
	esac
}

_tprof()
{
	local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} kind i
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

	local options=$(tprof --complete "$command" 2>/dev/null)
	kind=$(awk -v option="$previous" '$1 == option { print $2 }' <<<"$options")
	if [[ -n $kind ]]; then
		COMPREPLY=($(compgen -W "$(_tprof_candidates "$kind")" -- "$word"))
		[[ $kind == FILTER || $kind == FILE ]] && compopt -o default
	elif [[ $word == -* ]]; then
		COMPREPLY=($(compgen -W "$(awk '{ print $1 }' <<<"$options")" -- "$word"))
	else
		compopt -o default
	fi
}

complete -F _tprof tprof
