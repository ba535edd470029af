# Runs inside the shell that capture.zsh starts: every candidate that would be offered is printed instead.
PROMPT=
PS2=
autoload -Uz compinit
compinit -C -u
source $1
bindkey '^I' complete-word
begin-offers() { print; print BEGIN_OFFERS }
end-offers() { print END_OFFERS; exit }
compprefuncs=(begin-offers)
comppostfuncs=(end-offers)
compadd() {
  if [[ " $* " == *' -'[OAD]' '* ]]; then
    builtin compadd "$@"
    return
  fi
  typeset -a offered
  builtin compadd -A offered "$@"
  (( $#offered )) && print -l -r -- $offered
  builtin compadd "$@"
}
print READY_TO_''COMPLETE
