# Prints what zsh offers at a Tab press, one candidate a line: zsh -f capture.zsh <script> <command line>.
# The completion system only works in an interactive shell, so one runs in a pseudo-terminal of zsh itself.
zmodload zsh/zpty
zpty inner zsh -f -i
typeset line
expect() {
  while zpty -r inner line; do [[ $line == *$1* ]] && return 0; done
  return 1
}
zpty -w inner "source ${0:a:h}/capture-inner.zsh ${1:q}"
expect READY_TO_COMPLETE || exit 1
zpty -w -n inner "$2"$'\t'
integer inside=0
while zpty -r inner line; do
  line=${line%%$'\r'*}
  if [[ $line == *BEGIN_OFFERS* ]]; then
    inside=1
  elif [[ $line == *END_OFFERS* ]]; then
    break
  elif (( inside )); then
    print -r -- $line
  fi
done
zpty -d inner
