# Completions of frontdesk. Written by `npm run generate` from the command tree; changes here are lost.
# `frontdesk completion --help` says how to install it.

# Options whose next word is a value; it is no command.
_frontdesk_takes_value() {
  case $1 in
    -p | --profile | -o | --output | --columns | --sort-by | --query | --timeout | --retries | --retry-max-time | --ca-file | --since | --until | --id | --operation | --outcome | --limit | --out | --state | -f | --from | --from-format | --sheet | --ignore-columns | --expect-rows | -j | --concurrency | --rate | --max-failures | --shard | --failed | --expect | --empty-cells | --run | --plan | --plan-expires | --reason | --wallet | --client-device-id | --client-wallet-provider | --client-wallet-account-id | --status | --interval | --name | --description | --description-file | --image | --url | --active | --changed-from | --expect-changes | --calendar | --start | --end | --location | --email | --first-name | --last-name | --family | --cards-url | --calendar-url | --token-command | --token-file | --check | --read-only | --max-rows | --require-reason | --require-reason-hint | --approvers | --approvals | --as | --result-id | --note | --older-than | --key | --port | --seed | --latency | --fault | --idle | --report | --data) return 0 ;;
  esac
  return 1
}

_frontdesk_is_path() {
  case $1 in
    'card' | 'calendar' | 'calendar event' | 'calendar subscribers' | 'auth' | 'profile' | 'config' | 'history' | 'runs' | 'plan' | 'sandbox' | 'card get' | 'card activate' | 'card block' | 'card reissue' | 'card provision' | 'card wait' | 'calendar update' | 'calendar event create' | 'calendar subscribers list' | 'calendar subscribers update' | 'auth login' | 'auth status' | 'auth logout' | 'profile list' | 'profile show' | 'profile set' | 'profile use' | 'profile remove' | 'config list' | 'config get' | 'config set' | 'config unset' | 'config path' | 'history list' | 'history show' | 'history resolve' | 'history reconcile' | 'history prune' | 'runs list' | 'runs show' | 'runs report' | 'runs results' | 'runs resume' | 'runs revert' | 'runs remove' | 'plan show' | 'plan approve' | 'plan apply' | 'sandbox info' | 'sandbox serve' | 'sandbox reset' | 'mcp' | 'desk' | 'api' | 'doctor' | 'schema' | 'completion' | 'help') return 0 ;;
  esac
  return 1
}

# What may follow the path as a word: commands, or the choices of an argument.
_frontdesk_words() {
  case $path in
    '') words='card calendar auth profile config history runs plan sandbox mcp desk api doctor schema completion help' ;;
    'card') words='get activate block reissue provision wait' ;;
    'calendar') words='event subscribers update' ;;
    'calendar event') words='create' ;;
    'calendar subscribers') words='list update' ;;
    'auth') words='login status logout' ;;
    'profile') words='list show set use remove' ;;
    'config') words='list get set unset path' ;;
    'history') words='list show resolve reconcile prune' ;;
    'runs') words='list show report results resume revert remove' ;;
    'plan') words='show approve apply' ;;
    'sandbox') words='info serve reset' ;;
    'profile show' | 'profile set' | 'profile use' | 'profile remove') kind=profile ;;
    'config get' | 'config set' | 'config unset') words='output timeout retries concurrency timeZone' ;;
    'runs show' | 'runs report' | 'runs results' | 'runs resume' | 'runs revert' | 'runs remove') kind=run ;;
    'api') words='GET POST' ;;
    'completion') words='bash zsh fish powershell' ;;
    'help') words='exit-codes options environment output bulk outcomes plans accessibility card calendar auth profile config history runs plan sandbox mcp desk api doctor schema completion help' ;;
  esac
}

_frontdesk_options() {
  case $path in
    '' | 'card' | 'calendar' | 'calendar event' | 'calendar subscribers' | 'auth' | 'profile' | 'config' | 'plan' | 'auth status' | 'profile list' | 'profile show' | 'profile use' | 'config list' | 'config get' | 'config set' | 'config unset' | 'config path' | 'history show' | 'completion' | 'help') words='-p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'history' | 'history list') words='--since --until --id --operation --outcome --open --limit --out -p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'runs' | 'runs list') words='--state --limit --out -p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'sandbox' | 'sandbox info') words='--choices -p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'card get') words='--out -f --from --from-format --sheet --ignore-columns --expect-rows -j --concurrency --rate --max-failures --shard --failed -p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'card activate') words='--expect -f --from --from-format --sheet --ignore-columns --expect-rows -j --concurrency --rate --max-failures --shard --failed --allow-duplicates --empty-cells --run --reconcile --resend-unknown --plan --plan-expires -n --dry-run -y --yes --no-history -p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'card block') words='--reason --expect -f --from --from-format --sheet --ignore-columns --expect-rows -j --concurrency --rate --max-failures --shard --failed --allow-duplicates --empty-cells --run --reconcile --resend-unknown --plan --plan-expires -n --dry-run -y --yes --no-history -p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'card reissue') words='--again --reason --expect -f --from --from-format --sheet --ignore-columns --expect-rows -j --concurrency --rate --max-failures --shard --failed --allow-duplicates --empty-cells --run --reconcile --resend-unknown --plan --plan-expires -n --dry-run -y --yes --no-history -p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'card provision') words='--wallet --out --show-sensitive --again --client-device-id --client-wallet-provider --client-wallet-account-id -n --dry-run -y --yes --no-history -p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'card wait') words='--status --timeout --interval -p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'calendar update') words='--name --description --description-file --image --url --active -f --from --from-format --sheet --ignore-columns --expect-rows -j --concurrency --rate --max-failures --shard --failed --allow-duplicates --empty-cells --run --reconcile --resend-unknown --plan --plan-expires --changed-from --expect-changes -n --dry-run -y --yes --no-history -p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'calendar event create') words='--again --calendar --name --start --end --location --description --description-file --url --no-url --active -f --from --from-format --sheet --ignore-columns --expect-rows -j --concurrency --rate --max-failures --shard --failed --allow-duplicates --empty-cells --run --reconcile --resend-unknown --plan --plan-expires -n --dry-run -y --yes --no-history -p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'calendar subscribers list') words='--active --require-complete --out --limit -f --from --from-format --sheet --ignore-columns --expect-rows -j --concurrency --rate --max-failures --shard --failed -p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'calendar subscribers update') words='--email --first-name --last-name --active -f --from --from-format --sheet --ignore-columns --expect-rows -j --concurrency --rate --max-failures --shard --failed --allow-duplicates --empty-cells --run --reconcile --resend-unknown --plan --plan-expires --changed-from --expect-changes -n --dry-run -y --yes --no-history -p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'auth login') words='--family --cards-url --calendar-url --token-stdin --token-command --token-file --check -p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'auth logout') words='--family -y --yes -p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'profile set') words='--cards-url --calendar-url --read-only --max-rows --require-reason --require-reason-hint -o --output --approvers --approvals -p --profile --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'profile remove' | 'sandbox reset') words='-y --yes -p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'history resolve') words='--as --result-id --note -p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'history reconcile') words='--since -p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'history prune') words='--older-than -y --yes -p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'runs show') words='--last -p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'runs report') words='--last --as -p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'runs results') words='--last --outcome --as-input --out -p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'runs resume') words='--last --reconcile --resend-unknown -y --yes -j --concurrency --rate --max-failures --failed -p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'runs revert') words='--last --plan --plan-expires --over-later -p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'runs remove') words='--last --older-than -y --yes -p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'plan show') words='--as --out -p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'plan approve') words='--key --as -y --yes -p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'plan apply') words='-n --dry-run -y --yes -j --concurrency --rate --max-failures --again --failed -p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'sandbox serve') words='--port --seed --latency --fault -p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'mcp') words='--allow-writes -p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'desk') words='--idle --report -p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'api') words='--family --data --again --include -n --dry-run -y --yes --no-history -p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'doctor') words='--connect --strict -p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'schema') words='--openapi -p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
  esac
}

# What the value of option $1 is: words, a file or a profile.
_frontdesk_value() {
  case $path in
    '' | 'card' | 'calendar' | 'calendar event' | 'calendar subscribers' | 'auth' | 'profile' | 'config' | 'plan' | 'sandbox' | 'auth status' | 'profile list' | 'profile show' | 'profile use' | 'profile remove' | 'config list' | 'config get' | 'config set' | 'config unset' | 'config path' | 'history show' | 'history reconcile' | 'history prune' | 'runs show' | 'runs remove' | 'sandbox info' | 'sandbox reset' | 'mcp' | 'doctor' | 'schema' | 'completion' | 'help') case $1 in
      -p | --profile) kind=profile ;;
      -o | --output) kind=words words='table json ndjson csv xlsx' ;;
      --ca-file) kind=file ;;
    esac ;;
    'history' | 'history list') case $1 in
      --operation) kind=words words='card.activate card.block card.reissue card.provision calendar.update calendar.subscribers.update calendar.event.create api' ;;
      --outcome) kind=words words='applied confirmed_by_read rejected not_sent unknown' ;;
      --out) kind=file ;;
      -p | --profile) kind=profile ;;
      -o | --output) kind=words words='table json ndjson csv xlsx' ;;
      --ca-file) kind=file ;;
    esac ;;
    'runs' | 'runs list') case $1 in
      --state) kind=words words='running finished unsettled stopped interrupted' ;;
      --out) kind=file ;;
      -p | --profile) kind=profile ;;
      -o | --output) kind=words words='table json ndjson csv xlsx' ;;
      --ca-file) kind=file ;;
    esac ;;
    'card get') case $1 in
      --out) kind=file ;;
      -f | --from) kind=file ;;
      --from-format) kind=words words='csv xlsx ndjson json ids' ;;
      --failed) kind=file ;;
      -p | --profile) kind=profile ;;
      -o | --output) kind=words words='table json ndjson csv xlsx' ;;
      --ca-file) kind=file ;;
    esac ;;
    'card activate' | 'card block' | 'card reissue') case $1 in
      -f | --from) kind=file ;;
      --from-format) kind=words words='csv xlsx ndjson json ids' ;;
      --failed) kind=file ;;
      --empty-cells) kind=words words='keep clear' ;;
      --plan) kind=file ;;
      -p | --profile) kind=profile ;;
      -o | --output) kind=words words='table json ndjson csv xlsx' ;;
      --ca-file) kind=file ;;
    esac ;;
    'card provision') case $1 in
      --wallet) kind=words words='wallet_a wallet_b' ;;
      --out) kind=file ;;
      -p | --profile) kind=profile ;;
      -o | --output) kind=words words='table json ndjson csv xlsx' ;;
      --ca-file) kind=file ;;
    esac ;;
    'card wait') case $1 in
      --status) kind=words words='WAITING_ACTIVATION ACTIVE CANCELLED BLOCKED REISSUED EXPIRED' ;;
      -p | --profile) kind=profile ;;
      -o | --output) kind=words words='table json ndjson csv xlsx' ;;
      --ca-file) kind=file ;;
    esac ;;
    'calendar update') case $1 in
      --description-file) kind=file ;;
      --active) kind=words words='true false' ;;
      -f | --from) kind=file ;;
      --from-format) kind=words words='csv xlsx ndjson json ids' ;;
      --failed) kind=file ;;
      --empty-cells) kind=words words='keep clear' ;;
      --plan) kind=file ;;
      --changed-from) kind=file ;;
      -p | --profile) kind=profile ;;
      -o | --output) kind=words words='table json ndjson csv xlsx' ;;
      --ca-file) kind=file ;;
    esac ;;
    'calendar event create') case $1 in
      --description-file) kind=file ;;
      --active) kind=words words='true false' ;;
      -f | --from) kind=file ;;
      --from-format) kind=words words='csv xlsx ndjson json ids' ;;
      --failed) kind=file ;;
      --empty-cells) kind=words words='keep clear' ;;
      --plan) kind=file ;;
      -p | --profile) kind=profile ;;
      -o | --output) kind=words words='table json ndjson csv xlsx' ;;
      --ca-file) kind=file ;;
    esac ;;
    'calendar subscribers list') case $1 in
      --active) kind=words words='true false all' ;;
      --out) kind=file ;;
      -f | --from) kind=file ;;
      --from-format) kind=words words='csv xlsx ndjson json ids' ;;
      --failed) kind=file ;;
      -p | --profile) kind=profile ;;
      -o | --output) kind=words words='table json ndjson csv xlsx' ;;
      --ca-file) kind=file ;;
    esac ;;
    'calendar subscribers update') case $1 in
      --active) kind=words words='true false' ;;
      -f | --from) kind=file ;;
      --from-format) kind=words words='csv xlsx ndjson json ids' ;;
      --failed) kind=file ;;
      --empty-cells) kind=words words='keep clear' ;;
      --plan) kind=file ;;
      --changed-from) kind=file ;;
      -p | --profile) kind=profile ;;
      -o | --output) kind=words words='table json ndjson csv xlsx' ;;
      --ca-file) kind=file ;;
    esac ;;
    'auth login') case $1 in
      --family) kind=words words='cards calendar' ;;
      --token-file) kind=file ;;
      -p | --profile) kind=profile ;;
      -o | --output) kind=words words='table json ndjson csv xlsx' ;;
      --ca-file) kind=file ;;
    esac ;;
    'auth logout' | 'api') case $1 in
      --family) kind=words words='cards calendar' ;;
      -p | --profile) kind=profile ;;
      -o | --output) kind=words words='table json ndjson csv xlsx' ;;
      --ca-file) kind=file ;;
    esac ;;
    'profile set') case $1 in
      --read-only) kind=words words='true false' ;;
      --approvers) kind=file ;;
      -p | --profile) kind=profile ;;
      --ca-file) kind=file ;;
    esac ;;
    'history resolve') case $1 in
      --as) kind=words words='applied not_applied' ;;
      -p | --profile) kind=profile ;;
      -o | --output) kind=words words='table json ndjson csv xlsx' ;;
      --ca-file) kind=file ;;
    esac ;;
    'runs report') case $1 in
      --as) kind=words words='html junit markdown' ;;
      -p | --profile) kind=profile ;;
      -o | --output) kind=words words='table json ndjson csv xlsx' ;;
      --ca-file) kind=file ;;
    esac ;;
    'runs results') case $1 in
      --outcome) kind=words words='applied confirmed_by_read rejected not_sent unknown' ;;
      --out) kind=file ;;
      -p | --profile) kind=profile ;;
      -o | --output) kind=words words='table json ndjson csv xlsx' ;;
      --ca-file) kind=file ;;
    esac ;;
    'runs resume' | 'plan apply') case $1 in
      --failed) kind=file ;;
      -p | --profile) kind=profile ;;
      -o | --output) kind=words words='table json ndjson csv xlsx' ;;
      --ca-file) kind=file ;;
    esac ;;
    'runs revert') case $1 in
      --plan) kind=file ;;
      -p | --profile) kind=profile ;;
      -o | --output) kind=words words='table json ndjson csv xlsx' ;;
      --ca-file) kind=file ;;
    esac ;;
    'plan show') case $1 in
      --as) kind=words words='markdown' ;;
      --out) kind=file ;;
      -p | --profile) kind=profile ;;
      -o | --output) kind=words words='table json ndjson csv xlsx' ;;
      --ca-file) kind=file ;;
    esac ;;
    'plan approve') case $1 in
      --key) kind=file ;;
      -p | --profile) kind=profile ;;
      -o | --output) kind=words words='table json ndjson csv xlsx' ;;
      --ca-file) kind=file ;;
    esac ;;
    'sandbox serve') case $1 in
      --seed) kind=file ;;
      -p | --profile) kind=profile ;;
      -o | --output) kind=words words='table json ndjson csv xlsx' ;;
      --ca-file) kind=file ;;
    esac ;;
    'desk') case $1 in
      --report) kind=file ;;
      -p | --profile) kind=profile ;;
      -o | --output) kind=words words='table json ndjson csv xlsx' ;;
      --ca-file) kind=file ;;
    esac ;;
  esac
}

_frontdesk() {
  local cur=${COMP_WORDS[COMP_CWORD]} before= path= words= kind= prefix= word index
  COMPREPLY=()
  [ "$COMP_CWORD" -gt 0 ] && before=${COMP_WORDS[COMP_CWORD - 1]}
  # bash splits --output=json at the equals sign.
  if [ "$cur" = '=' ]; then
    cur=
  elif [ "$before" = '=' ] && [ "$COMP_CWORD" -gt 1 ]; then
    before=${COMP_WORDS[COMP_CWORD - 2]}
  elif [[ $cur == --*=* ]]; then
    before=${cur%%=*} prefix=${cur%%=*}= cur=${cur#*=}
  fi
  for ((index = 1; index < COMP_CWORD; index += 1)); do
    word=${COMP_WORDS[index]}
    case $word in
      --) return ;;
      =) ((index += 1)) ;;
      -*) if [ "${COMP_WORDS[index + 1]}" != '=' ] && _frontdesk_takes_value "$word"; then ((index += 1)); fi ;;
      *) if _frontdesk_is_path "${path:+$path }$word"; then path="${path:+$path }$word"; fi ;;
    esac
  done
  if _frontdesk_takes_value "$before"; then
    _frontdesk_value "$before"
    case $kind in
      file)
        # Readline quotes file names; where it cannot be asked (bash 3.2), names come as they are.
        if ! compopt -o default 2>/dev/null; then
          local IFS=$'\n'
          COMPREPLY=($(compgen -f -- "$cur"))
        fi
        return ;;
    esac
  elif [[ $cur == -* ]]; then
    _frontdesk_options
  else
    _frontdesk_words
  fi
  case $kind in
    profile) words=$(frontdesk profile list -o table --columns name --no-header --quiet 2>/dev/null) ;;
    run) words=$(frontdesk runs list -o table --columns run --no-header --limit 20 --quiet 2>/dev/null) ;;
  esac
  for word in $words; do
    if [[ $word == "$cur"* ]]; then COMPREPLY+=("$prefix$word"); fi
  done
}

complete -F _frontdesk frontdesk
