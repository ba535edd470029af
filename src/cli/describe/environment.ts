import { COMMON_OPTIONS, WRITE_OPTIONS } from '../../input/options/common.ts';

const TEXTS = {
  FRONTDESK_PROFILE: 'use this profile; sandbox is built in',
  FRONTDESK_OUTPUT: 'print in this format: table, json, ndjson or csv',
  FRONTDESK_TIMEOUT: 'end an attempt after this time: 500ms, 30s, 2m, 1h',
  FRONTDESK_CA_FILE: 'trust these certificates (PEM) too',
  FRONTDESK_CARDS_URL: 'base URL of the gift cards: https, or http on this machine',
  FRONTDESK_CARDS_TOKEN: 'token of the gift cards; needs nothing stored',
  FRONTDESK_CALENDAR_URL: 'base URL of the calendars: https, or http on this machine',
  FRONTDESK_CALENDAR_TOKEN: 'API key of the calendars; needs nothing stored',
  FRONTDESK_CONFIG_DIR: 'folder of settings and credentials',
  FRONTDESK_STATE_DIR: 'folder of history, runs and the sandbox',
  FRONTDESK_NO_HISTORY: '1: keep no history of single changes; a run needs its record, and is refused',
  FRONTDESK_READ_ONLY: '1: refuse every change, whatever the profile allows',
  FRONTDESK_AUDIT_LOG: 'also record every change in this file, before it is sent and after',
  FRONTDESK_ACCESSIBLE: '1: for screen readers and slow connections; see `frontdesk help accessibility`',
  ACCESSIBLE: 'the same for other tools, read where FRONTDESK_ACCESSIBLE is not set',
  FRONTDESK_DEBUG: '1: print the stack trace of an error',
  NO_COLOR: 'any value that is not empty: print no color',
  FORCE_COLOR: '0 or false: print no color; another value: color in a dumb terminal; a pipe never gets color',
  CI: 'any value but 0 and false: never ask for anything, as --no-input',
  HTTPS_PROXY:
    'proxy for https requests: http://HOST:PORT (https_proxy is read first); this machine is reached directly',
  NO_PROXY: 'hosts reached without the proxy: names, name:port, addresses, ranges, or *',
  NODE_EXTRA_CA_CERTS: 'certificates (PEM) that Node trusts too',
  XDG_CONFIG_HOME: 'folder of frontdesk/ with settings and credentials; else ~/.config',
  XDG_STATE_HOME: 'folder of frontdesk/ with history, runs and the sandbox; else ~/.local/state',
};

const OPTIONS = new Map([...COMMON_OPTIONS, ...WRITE_OPTIONS].map(({ env, long }) => [env, `--${long}`]));

/** THE table of environment variables, for help, man page, reference and `schema`. `option` wins over one. */
export const ENVIRONMENT = Object.entries(TEXTS).map(
  ([name, text]): { readonly name: string; readonly option?: string; readonly text: string } => {
    const option = OPTIONS.get(name);
    return { name, ...(option === undefined ? {} : { option }), text };
  },
);
