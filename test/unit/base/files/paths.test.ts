import { expect, it } from 'vitest';
import { findPlaces, requirePlace } from '../../../../src/base/files/paths.ts';

const linux = { env: {}, platform: 'linux', home: '/home/ada' };

const mac = { ...linux, platform: 'darwin', home: '/Users/ada' };
const windows = { platform: 'win32', home: 'C:\\Users\\ada' };
const ROAMING = 'C:\\Users\\ada\\AppData\\Roaming';
const LIBRARY = '/Users/ada/Library/Application Support/frontdesk';
const OF_ADA = ['/home/ada/.config/frontdesk', '/home/ada/.local/state/frontdesk'];
const XDG = { XDG_CONFIG_HOME: '/c', XDG_STATE_HOME: '/s', XDG_CACHE_HOME: '/k' };
const OWN = { FRONTDESK_CONFIG_DIR: '/own/config/', FRONTDESK_STATE_DIR: '/own/state', XDG_CONFIG_HOME: '/c' };
const NO_USE = { FRONTDESK_CONFIG_DIR: '', XDG_CONFIG_HOME: 'relative', XDG_STATE_HOME: '' };
const APPDATA = { APPDATA: ROAMING, LOCALAPPDATA: 'D:\\local' };

it.each<[string, Parameters<typeof findPlaces>[0], readonly (string | undefined)[]]>([
  ['the usual folders of Linux', linux, OF_ADA],
  ['the usual folders of macOS', mac, [LIBRARY, `${LIBRARY}/state`]],
  ['those of Windows', { ...windows, env: APPDATA }, [`${ROAMING}\\frontdesk`, 'D:\\local\\frontdesk\\state']],
  ['the XDG variables, also on macOS', { ...mac, env: XDG }, ['/c/frontdesk', '/s/frontdesk']],
  ['the variables of frontdesk before the XDG ones', { ...linux, env: OWN }, ['/own/config', '/own/state']],
  ['nothing from empty or relative variables', { ...linux, env: NO_USE }, OF_ADA],
  ['no folder at all without a home (C15)', { ...linux, home: undefined }, [undefined, undefined]],
  ['no folder at all with an empty home (C15)', { ...linux, home: '' }, [undefined, undefined]],
])('findPlaces takes %s', (_what, input, [configDir, stateDir]) => {
  expect(findPlaces(input)).toEqual({ configDir, stateDir });
});

it('findPlaces looks at nothing else of the context: the name of the user costs a look into the list of users', () => {
  const context = {
    ...linux,
    get user(): string {
      throw new Error('the user was asked for');
    },
  };
  expect(findPlaces(context).stateDir).toBe('/home/ada/.local/state/frontdesk');
});

it('findPlaces fails with USAGE, naming the variable, only when a folder is really needed', () => {
  const places = findPlaces({ ...linux, home: undefined });
  expect(() => requirePlace(places, 'configDir')).toThrow(expect.objectContaining({ code: 'USAGE', exitCode: 2 }));
  expect(() => requirePlace(places, 'configDir')).toThrow('FRONTDESK_CONFIG_DIR');
  expect(() => requirePlace(places, 'stateDir')).toThrow('FRONTDESK_STATE_DIR');
  expect(requirePlace(findPlaces(linux), 'configDir')).toBe('/home/ada/.config/frontdesk');
});
