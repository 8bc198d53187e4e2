# Completion of firn for bash. What there is comes from the tool itself.

_firn() {
    local word=${COMP_WORDS[COMP_CWORD]} command='' more='' i
    COMPREPLY=()
    for ((i = 1; i < COMP_CWORD; i++)); do
        if [[ ${COMP_WORDS[i]} != -* ]]; then
            command=${COMP_WORDS[i]}
            break
        fi
    done
    [[ -z $command ]] && more='--help --version'
    if [[ -z $command || ($command == help && $word != -*) ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$("$1" help 2>/dev/null |
            sed -n 's/^  \([a-z]*\) .*/\1/p') $more" -- "$word")
    elif [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$("$1" help "$command" 2>/dev/null |
            sed -n 's/^  [- ][^ ]*[ ,]* *\(--[a-z-]*\).*/\1/p')" -- "$word")
    else
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
    fi
}
complete -F _firn firn
