# Completions of frontdesk. Written by `npm run generate` from the command tree; changes here are lost.
# `frontdesk completion --help` says how to install it.

# Options whose next word is a value; it is no command.
_frontdesk_takes_value() {
  case $1 in
    -p | --profile | -o | --output | --columns | --sort-by | --query | --timeout | --retries | --retry-max-time | --ca-file | --since | --until | --id | --operation | --outcome | --reason | --user | --limit | --out | --state | -f | --from | --from-format | --sheet | --map | --where | --rows | --ignore-columns | --expect-rows | -j | --concurrency | --rate | --max-failures | --shard | --failed | --import | --expect | --skip-if | --empty-cells | --run | --plan | --plan-expires | --wallet | --client-device-id | --client-wallet-provider | --client-wallet-account-id | --status | --interval | --name | --description | --description-file | --image | --url | --active | --changed-from | --expect-changes | --calendar | --start | --end | --location | --email | --first-name | --last-name | --family | --cards-url | --calendar-url | --token-command | --token-file | --check | --read-only | --max-rows | --require-reason | --require-reason-hint | --as | --result-id | --note | --older-than | --port | --seed | --latency | --fault | --idle | --report | --data) return 0 ;;
  esac
  return 1
}

_frontdesk_is_path() {
  case $1 in
    'card' | 'calendar' | 'calendar event' | 'calendar subscribers' | 'auth' | 'profile' | 'config' | 'history' | 'runs' | 'plan' | 'sandbox' | 'card get' | 'card find' | 'card activate' | 'card block' | 'card reissue' | 'card provision' | 'card wait' | 'calendar update' | 'calendar event create' | 'calendar subscribers list' | 'calendar subscribers update' | 'auth login' | 'auth status' | 'auth logout' | 'profile list' | 'profile show' | 'profile set' | 'profile use' | 'profile remove' | 'config list' | 'config get' | 'config set' | 'config set output' | 'config unset' | 'config path' | 'history list' | 'history show' | 'history resolve' | 'history reconcile' | 'history prune' | 'runs list' | 'runs show' | 'runs report' | 'runs results' | 'runs resume' | 'runs revert' | 'runs remove' | 'plan show' | 'plan apply' | 'sandbox info' | 'sandbox serve' | 'sandbox reset' | 'mcp' | 'desk' | 'api' | 'doctor' | 'schema' | 'schema card' | 'schema calendar' | 'schema calendar event' | 'schema calendar subscribers' | 'schema auth' | 'schema profile' | 'schema config' | 'schema history' | 'schema runs' | 'schema plan' | 'schema sandbox' | 'completion' | 'help' | 'help card' | 'help calendar' | 'help calendar event' | 'help calendar subscribers' | 'help auth' | 'help profile' | 'help config' | 'help history' | 'help runs' | 'help plan' | 'help sandbox') return 0 ;;
  esac
  return 1
}

# What may follow the path as a word.
_frontdesk_words() {
  case $path in
    '' | 'schema') words='card calendar auth profile config history runs plan sandbox mcp desk api doctor schema completion help' ;;
    'card' | 'schema card' | 'help card') words='get find activate block reissue provision wait' ;;
    'calendar' | 'schema calendar' | 'help calendar') words='event subscribers update' ;;
    'calendar event' | 'schema calendar event' | 'help calendar event') words='create' ;;
    'calendar subscribers' | 'schema calendar subscribers' | 'help calendar subscribers') words='list update' ;;
    'auth' | 'schema auth' | 'help auth') words='login status logout' ;;
    'profile' | 'schema profile' | 'help profile') words='list show set use remove' ;;
    'config' | 'schema config' | 'help config') words='list get set unset path' ;;
    'history' | 'schema history' | 'help history') words='list show resolve reconcile prune' ;;
    'runs' | 'schema runs' | 'help runs') words='list show report results resume revert remove' ;;
    'plan' | 'schema plan' | 'help plan') words='show apply' ;;
    'sandbox' | 'schema sandbox' | 'help sandbox') words='info serve reset' ;;
    'profile show' | 'profile set' | 'profile use' | 'profile remove') kind=profile ;;
    'config get' | 'config set' | 'config unset') words='output timeout retries concurrency timeZone' ;;
    'config set output') words='table json ndjson csv' ;;
    'runs show' | 'runs report' | 'runs results' | 'runs resume' | 'runs revert' | 'runs remove') kind=run ;;
    'plan show' | 'plan apply') kind=file ;;
    'api') words='GET POST' ;;
    'completion') words='bash zsh fish powershell' ;;
    'help') words='exit-codes options environment output bulk outcomes plans agents accessibility card calendar auth profile config history runs plan sandbox mcp desk api doctor schema completion help' ;;
  esac
}

_frontdesk_options() {
  case $path in
    '' | 'card' | 'calendar' | 'calendar event' | 'calendar subscribers' | 'auth' | 'profile' | 'config' | 'plan' | 'auth status' | 'profile list' | 'profile show' | 'profile use' | 'config list' | 'config get' | 'config set' | 'config set output' | 'config unset' | 'config path' | 'history show' | 'completion' | 'help' | 'help card' | 'help calendar' | 'help calendar event' | 'help calendar subscribers' | 'help auth' | 'help profile' | 'help config' | 'help history' | 'help runs' | 'help plan' | 'help sandbox') words='-p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'history' | 'history list') words='--since --until --id --operation --outcome --reason --user --open --limit --out -p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'runs' | 'runs list') words='--state --limit --out -p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'sandbox' | 'sandbox info') words='--choices -p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'card get') words='--out -f --from --from-format --sheet --map --where --rows --ignore-columns --expect-rows -j --concurrency --rate --max-failures --shard --failed -p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'card find') words='--import --from-format --sheet --map --forget --out -y --yes -p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'card activate') words='--expect --skip-if -f --from --from-format --sheet --map --where --rows --ignore-columns --expect-rows -j --concurrency --rate --max-failures --shard --failed --allow-duplicates --empty-cells --run --reconcile --resend-unknown --plan --plan-expires -n --dry-run -y --yes --no-history -p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'card block') words='--reason --expect --skip-if -f --from --from-format --sheet --map --where --rows --ignore-columns --expect-rows -j --concurrency --rate --max-failures --shard --failed --allow-duplicates --empty-cells --run --reconcile --resend-unknown --plan --plan-expires -n --dry-run -y --yes --no-history -p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'card reissue') words='--again --reason --expect --skip-if -f --from --from-format --sheet --map --where --rows --ignore-columns --expect-rows -j --concurrency --rate --max-failures --shard --failed --allow-duplicates --empty-cells --run --reconcile --resend-unknown --plan --plan-expires -n --dry-run -y --yes --no-history -p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'card provision') words='--wallet --out --show-sensitive --again --client-device-id --client-wallet-provider --client-wallet-account-id -n --dry-run -y --yes --no-history -p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'card wait') words='--status --timeout --interval -p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'calendar update') words='--name --description --description-file --image --url --active -f --from --from-format --sheet --map --where --rows --ignore-columns --expect-rows -j --concurrency --rate --max-failures --shard --failed --allow-duplicates --empty-cells --run --reconcile --resend-unknown --plan --plan-expires --changed-from --expect-changes -n --dry-run -y --yes --no-history -p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'calendar event create') words='--again --calendar --name --start --end --location --description --description-file --url --no-url --active -f --from --from-format --sheet --map --where --rows --ignore-columns --expect-rows -j --concurrency --rate --max-failures --shard --failed --allow-duplicates --empty-cells --run --reconcile --resend-unknown --plan --plan-expires -n --dry-run -y --yes --no-history -p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'calendar subscribers list') words='--active --require-complete --out --limit -f --from --from-format --sheet --map --where --rows --ignore-columns --expect-rows -j --concurrency --rate --max-failures --shard --failed -p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'calendar subscribers update') words='--email --first-name --last-name --active -f --from --from-format --sheet --map --where --rows --ignore-columns --expect-rows -j --concurrency --rate --max-failures --shard --failed --allow-duplicates --empty-cells --run --reconcile --resend-unknown --plan --plan-expires --changed-from --expect-changes -n --dry-run -y --yes --no-history -p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'auth login') words='--family --cards-url --calendar-url --token-stdin --token-command --token-file --keychain --check -p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'auth logout') words='--family -y --yes -p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'profile set') words='--cards-url --calendar-url --read-only --max-rows --require-reason --require-reason-hint -o --output -p --profile --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'profile remove' | 'sandbox reset') words='-y --yes -p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'history resolve') words='--as --result-id --note -p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'history reconcile') words='--since -p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'history prune') words='--older-than -y --yes -p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'runs show') words='--last -p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'runs report') words='--last --as -p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'runs results') words='--last --outcome --as-input --out -p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'runs resume') words='--last --reconcile --resend-unknown -y --yes -j --concurrency --rate --max-failures --failed -p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'runs revert') words='--last --plan --plan-expires -p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'runs remove') words='--last --older-than -y --yes -p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'plan show') words='--as --out -p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'plan apply') words='-n --dry-run -y --yes -j --concurrency --rate --max-failures --again --failed -p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'sandbox serve') words='--port --seed --latency --fault -p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'mcp') words='--allow-writes -p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'desk') words='--idle --report -p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'api') words='--family --data --include -n --dry-run -y --yes --no-history -p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'doctor') words='--connect --strict -p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
    'schema' | 'schema card' | 'schema calendar' | 'schema calendar event' | 'schema calendar subscribers' | 'schema auth' | 'schema profile' | 'schema config' | 'schema history' | 'schema runs' | 'schema plan' | 'schema sandbox') words='--openapi -p --profile -o --output --json --columns --sort-by --no-header --csv-raw --query --raw -q --quiet -v --verbose --no-color --no-input --timeout --retries --retry-max-time --ca-file --ignore-expiry -h --help' ;;
  esac
}

# What the value of option $1 may be.
_frontdesk_value() {
  case $path in
    '' | 'card' | 'calendar' | 'calendar event' | 'calendar subscribers' | 'auth' | 'profile' | 'config' | 'plan' | 'sandbox' | 'auth status' | 'profile list' | 'profile show' | 'profile use' | 'profile remove' | 'config list' | 'config get' | 'config set' | 'config set output' | 'config unset' | 'config path' | 'history show' | 'history reconcile' | 'history prune' | 'runs show' | 'runs remove' | 'sandbox info' | 'sandbox reset' | 'mcp' | 'doctor' | 'schema' | 'schema card' | 'schema calendar' | 'schema calendar event' | 'schema calendar subscribers' | 'schema auth' | 'schema profile' | 'schema config' | 'schema history' | 'schema runs' | 'schema plan' | 'schema sandbox' | 'completion' | 'help' | 'help card' | 'help calendar' | 'help calendar event' | 'help calendar subscribers' | 'help auth' | 'help profile' | 'help config' | 'help history' | 'help runs' | 'help plan' | 'help sandbox') case $1 in
      -p | --profile) kind=profile ;;
      -o | --output) words='table json ndjson csv xlsx' ;;
      --ca-file) kind=file ;;
    esac ;;
    'history' | 'history list') case $1 in
      --operation) words='card.activate card.block card.reissue card.provision calendar.update calendar.subscribers.update calendar.event.create api' ;;
      --outcome) words='applied confirmed_by_read rejected not_sent unknown' ;;
      --out) kind=file ;;
      -p | --profile) kind=profile ;;
      -o | --output) words='table json ndjson csv xlsx' ;;
      --ca-file) kind=file ;;
    esac ;;
    'runs' | 'runs list') case $1 in
      --state) words='running finished unsettled stopped interrupted' ;;
      --out) kind=file ;;
      -p | --profile) kind=profile ;;
      -o | --output) words='table json ndjson csv xlsx' ;;
      --ca-file) kind=file ;;
    esac ;;
    'card get') case $1 in
      --out) kind=file ;;
      -f | --from) kind=file ;;
      --from-format) words='csv xlsx ndjson json ids' ;;
      --failed) kind=file ;;
      -p | --profile) kind=profile ;;
      -o | --output) words='table json ndjson csv xlsx' ;;
      --ca-file) kind=file ;;
    esac ;;
    'card find') case $1 in
      --import) kind=file ;;
      --from-format) words='csv xlsx ndjson json' ;;
      --out) kind=file ;;
      -p | --profile) kind=profile ;;
      -o | --output) words='table json ndjson csv xlsx' ;;
      --ca-file) kind=file ;;
    esac ;;
    'card activate' | 'card block' | 'card reissue') case $1 in
      -f | --from) kind=file ;;
      --from-format) words='csv xlsx ndjson json ids' ;;
      --failed) kind=file ;;
      --empty-cells) words='keep clear' ;;
      --plan) kind=file ;;
      -p | --profile) kind=profile ;;
      -o | --output) words='table json ndjson csv xlsx' ;;
      --ca-file) kind=file ;;
    esac ;;
    'card provision') case $1 in
      --wallet) words='wallet_a wallet_b' ;;
      --out) kind=file ;;
      -p | --profile) kind=profile ;;
      -o | --output) words='table json ndjson csv xlsx' ;;
      --ca-file) kind=file ;;
    esac ;;
    'card wait') case $1 in
      --status) words='WAITING_ACTIVATION ACTIVE CANCELLED BLOCKED REISSUED EXPIRED' ;;
      -p | --profile) kind=profile ;;
      -o | --output) words='table json ndjson csv xlsx' ;;
      --ca-file) kind=file ;;
    esac ;;
    'calendar update') case $1 in
      --description-file) kind=file ;;
      --active) words='true false' ;;
      -f | --from) kind=file ;;
      --from-format) words='csv xlsx ndjson json ids' ;;
      --failed) kind=file ;;
      --empty-cells) words='keep clear' ;;
      --plan) kind=file ;;
      --changed-from) kind=file ;;
      -p | --profile) kind=profile ;;
      -o | --output) words='table json ndjson csv xlsx' ;;
      --ca-file) kind=file ;;
    esac ;;
    'calendar event create') case $1 in
      --description-file) kind=file ;;
      --active) words='true false' ;;
      -f | --from) kind=file ;;
      --from-format) words='csv xlsx ndjson json ids' ;;
      --failed) kind=file ;;
      --empty-cells) words='keep clear' ;;
      --plan) kind=file ;;
      -p | --profile) kind=profile ;;
      -o | --output) words='table json ndjson csv xlsx' ;;
      --ca-file) kind=file ;;
    esac ;;
    'calendar subscribers list') case $1 in
      --active) words='true false all' ;;
      --out) kind=file ;;
      -f | --from) kind=file ;;
      --from-format) words='csv xlsx ndjson json ids' ;;
      --failed) kind=file ;;
      -p | --profile) kind=profile ;;
      -o | --output) words='table json ndjson csv xlsx' ;;
      --ca-file) kind=file ;;
    esac ;;
    'calendar subscribers update') case $1 in
      --active) words='true false' ;;
      -f | --from) kind=file ;;
      --from-format) words='csv xlsx ndjson json ids' ;;
      --failed) kind=file ;;
      --empty-cells) words='keep clear' ;;
      --plan) kind=file ;;
      --changed-from) kind=file ;;
      -p | --profile) kind=profile ;;
      -o | --output) words='table json ndjson csv xlsx' ;;
      --ca-file) kind=file ;;
    esac ;;
    'auth login') case $1 in
      --family) words='cards calendar' ;;
      --token-file) kind=file ;;
      -p | --profile) kind=profile ;;
      -o | --output) words='table json ndjson csv xlsx' ;;
      --ca-file) kind=file ;;
    esac ;;
    'auth logout') case $1 in
      --family) words='cards calendar' ;;
      -p | --profile) kind=profile ;;
      -o | --output) words='table json ndjson csv xlsx' ;;
      --ca-file) kind=file ;;
    esac ;;
    'profile set') case $1 in
      --read-only) words='true false' ;;
      -o | --output) words='table json ndjson csv' ;;
      -p | --profile) kind=profile ;;
      --ca-file) kind=file ;;
    esac ;;
    'history resolve') case $1 in
      --as) words='applied not_applied' ;;
      -p | --profile) kind=profile ;;
      -o | --output) words='table json ndjson csv xlsx' ;;
      --ca-file) kind=file ;;
    esac ;;
    'runs report') case $1 in
      --as) words='html junit markdown' ;;
      -p | --profile) kind=profile ;;
      -o | --output) words='table json ndjson csv xlsx' ;;
      --ca-file) kind=file ;;
    esac ;;
    'runs results') case $1 in
      --outcome) words='applied confirmed_by_read skipped rejected not_sent unknown' ;;
      --out) kind=file ;;
      -p | --profile) kind=profile ;;
      -o | --output) words='table json ndjson csv xlsx' ;;
      --ca-file) kind=file ;;
    esac ;;
    'runs resume' | 'plan apply') case $1 in
      --failed) kind=file ;;
      -p | --profile) kind=profile ;;
      -o | --output) words='table json ndjson csv xlsx' ;;
      --ca-file) kind=file ;;
    esac ;;
    'runs revert') case $1 in
      --plan) kind=file ;;
      -p | --profile) kind=profile ;;
      -o | --output) words='table json ndjson csv xlsx' ;;
      --ca-file) kind=file ;;
    esac ;;
    'plan show') case $1 in
      --as) words='markdown' ;;
      --out) kind=file ;;
      -p | --profile) kind=profile ;;
      -o | --output) words='table json ndjson csv xlsx' ;;
      --ca-file) kind=file ;;
    esac ;;
    'sandbox serve') case $1 in
      --seed) kind=file ;;
      -p | --profile) kind=profile ;;
      -o | --output) words='table json ndjson csv xlsx' ;;
      --ca-file) kind=file ;;
    esac ;;
    'desk') case $1 in
      --report) kind=file ;;
      -p | --profile) kind=profile ;;
      -o | --output) words='table json ndjson csv xlsx' ;;
      --ca-file) kind=file ;;
    esac ;;
    'api') case $1 in
      --family) words='cards calendar' ;;
      --data) kind=at-file ;;
      -p | --profile) kind=profile ;;
      -o | --output) words='table json ndjson csv xlsx' ;;
      --ca-file) kind=file ;;
    esac ;;
  esac
}

_frontdesk() {
  local IFS=$' \t\n' line=${COMP_LINE:0:COMP_POINT} typed=() path= option= words= kind= prefix= cur=$2
  local word gap longer index others=0
  COMPREPLY=()
  # bash splits words at = and @ too. What stands together in the line is one word.
  for ((index = 0; index <= COMP_CWORD; index += 1)); do
    word=${COMP_WORDS[index]}
    gap=${line%%[![:space:]]*}
    line=${line#"$gap"}
    line=${line#"$word"}
    if [ "$index" -gt 0 ] && [ -z "$gap" ]; then typed[${#typed[@]} - 1]+=$word; else typed+=("$word"); fi
  done
  for ((index = 1; index < ${#typed[@]} - 1; index += 1)); do
    word=${typed[index]}
    if [ -n "$option" ]; then
      option=
      continue
    fi
    case $word in
      --) return ;;
      -*=*) ;;
      -*) if _frontdesk_takes_value "$word"; then option=$word; fi ;;
      *)
        longer="${path:+$path }$word"
        if _frontdesk_is_path "$longer"; then path=$longer; else ((others += 1)); fi ;;
    esac
  done
  word=${typed[index]}
  if [ -z "$option" ] && [[ $word == -*=* ]]; then
    option=${word%%=*}
    # What Readline replaces begins behind the equals sign, unless the user has changed that.
    case $cur in
      =) cur= ;;
      -*=*) prefix=$option= cur=${cur#*=} ;;
    esac
  fi
  if [ -n "$option" ]; then
    _frontdesk_value "$option"
  elif [[ $cur == -* ]]; then
    _frontdesk_options
  elif [ "$others" -eq 0 ]; then
    _frontdesk_words
  fi
  # Readline quotes file names; where it cannot be asked (bash 3.2), names come as they are.
  case $kind in
    profile) words=$(frontdesk profile list -o table --columns name --no-header --quiet 2>/dev/null) ;;
    run) words=$(frontdesk runs list -o table --columns run --no-header --limit 20 --quiet 2>/dev/null) ;;
    file) if ! compopt -o default 2>/dev/null; then _frontdesk_files ''; fi ;;
    at-file) if [[ ${cur#\\} == @* ]]; then _frontdesk_files @; fi ;;
  esac
  for word in $words; do
    if [[ $word == "$cur"* ]]; then COMPREPLY+=("$prefix$word"); fi
  done
}

# Offers the files that begin with $cur, which may hold backslashes, behind $1.
_frontdesk_files() {
  local IFS=$'\n' file begun=${cur//\\/}
  for file in $(compgen -f -- "${begun#"$1"}"); do
    if [ -d "$file" ]; then file=$file/; fi
    # An open quote quotes already.
    if [[ $word != *[\"\']* ]]; then printf -v file %q "$file"; fi
    COMPREPLY+=("$prefix$1$file")
  done
  if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == */ ]]; then compopt -o nospace 2>/dev/null; fi
}

complete -F _frontdesk frontdesk
