import { expect, it } from 'vitest';
import { findPlaces, requirePlace } from '../../../../src/base/files/paths.ts';

const linux = { env: {}, platform: 'linux', home: '/home/ada' };

it.each([
  [
    'the usual folders of Linux',
    linux,
    {
      configDir: '/home/ada/.config/frontdesk',
      stateDir: '/home/ada/.local/state/frontdesk',
    },
  ],
  [
    'the usual folders of macOS',
    { ...linux, platform: 'darwin', home: '/Users/ada' },
    {
      configDir: '/Users/ada/Library/Application Support/frontdesk',
      stateDir: '/Users/ada/Library/Application Support/frontdesk/state',
    },
  ],
  [
    'the usual folders of Windows',
    {
      platform: 'win32',
      home: 'C:\\Users\\ada',
      env: { APPDATA: 'C:\\Users\\ada\\AppData\\Roaming', LOCALAPPDATA: 'D:\\local' },
    },
    {
      configDir: 'C:\\Users\\ada\\AppData\\Roaming\\frontdesk',
      stateDir: 'D:\\local\\frontdesk\\state',
    },
  ],
  [
    'the XDG variables, also on macOS',
    {
      platform: 'darwin',
      home: '/Users/ada',
      env: { XDG_CONFIG_HOME: '/c', XDG_STATE_HOME: '/s', XDG_CACHE_HOME: '/k' },
    },
    { configDir: '/c/frontdesk', stateDir: '/s/frontdesk' },
  ],
  [
    'the variables of frontdesk before the XDG ones',
    {
      ...linux,
      env: { FRONTDESK_CONFIG_DIR: '/own/config/', FRONTDESK_STATE_DIR: '/own/state', XDG_CONFIG_HOME: '/c' },
    },
    { configDir: '/own/config', stateDir: '/own/state' },
  ],
  [
    'nothing from empty or relative variables',
    { ...linux, env: { FRONTDESK_CONFIG_DIR: '', XDG_CONFIG_HOME: 'relative', XDG_STATE_HOME: '' } },
    {
      configDir: '/home/ada/.config/frontdesk',
      stateDir: '/home/ada/.local/state/frontdesk',
    },
  ],
  [
    'no folder at all without a home (C15)',
    { ...linux, home: undefined },
    { configDir: undefined, stateDir: undefined },
  ],
  ['no folder at all with an empty home (C15)', { ...linux, home: '' }, { configDir: undefined, stateDir: undefined }],
])('findPlaces takes %s', (_what, input, places) => {
  expect(findPlaces(input)).toEqual(places);
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
