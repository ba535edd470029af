/**
 * THE table of the environment variables that frontdesk obeys: the help topic, the man page, the README and `schema` are
 * printed from it. `option` says the same and wins over it.
 */
export const ENVIRONMENT: readonly { readonly name: string; readonly text: string; readonly option?: string }[] = [
  { name: 'FRONTDESK_PROFILE', option: '--profile', text: 'use this profile; sandbox is built in' },
  { name: 'FRONTDESK_OUTPUT', option: '--output', text: 'print in this format: table, json, ndjson or csv' },
  { name: 'FRONTDESK_TIMEOUT', option: '--timeout', text: 'end an attempt after this time: 500ms, 30s, 2m, 1h' },
  { name: 'FRONTDESK_CA_FILE', option: '--ca-file', text: 'trust these certificates (PEM) too' },
  { name: 'FRONTDESK_CARDS_URL', text: 'base URL of the gift cards: https, or http on this machine' },
  { name: 'FRONTDESK_CARDS_TOKEN', text: 'token of the gift cards; needs nothing stored' },
  { name: 'FRONTDESK_CALENDAR_URL', text: 'base URL of the calendars: https, or http on this machine' },
  { name: 'FRONTDESK_CALENDAR_TOKEN', text: 'API key of the calendars; needs nothing stored' },
  { name: 'FRONTDESK_CONFIG_DIR', text: 'folder of settings and credentials' },
  { name: 'FRONTDESK_STATE_DIR', text: 'folder of history, runs and the sandbox' },
  {
    name: 'FRONTDESK_NO_HISTORY',
    option: '--no-history',
    text: '1: keep no history of single changes; a run needs its record, and is refused',
  },
  { name: 'FRONTDESK_READ_ONLY', text: '1: refuse every change, whatever the profile allows' },
  { name: 'FRONTDESK_AUDIT_LOG', text: 'also record every change in this file, before it is sent and after' },
  {
    name: 'FRONTDESK_ACCESSIBLE',
    text: '1: for screen readers and slow connections; see `frontdesk help accessibility`',
  },
  { name: 'FRONTDESK_DEBUG', text: '1: print the stack trace of an error' },
  { name: 'NO_COLOR', option: '--no-color', text: 'any value that is not empty: print no color' },
  { name: 'FORCE_COLOR', text: 'any value but 0: color in a dumb terminal; a pipe never gets color' },
  {
    name: 'HTTPS_PROXY',
    text: 'proxy for https requests, http://HOST:PORT (https_proxy is read first); this machine is always reached directly',
  },
  { name: 'NO_PROXY', text: 'hosts that are reached without the proxy: names, name:port, addresses, ranges, or *' },
  { name: 'NODE_EXTRA_CA_CERTS', text: 'certificates (PEM) that Node trusts too' },
  { name: 'XDG_CONFIG_HOME', text: 'folder under which frontdesk/ holds settings and credentials; else ~/.config' },
  {
    name: 'XDG_STATE_HOME',
    text: 'folder under which frontdesk/ holds history, runs and the sandbox; else ~/.local/state',
  },
];
