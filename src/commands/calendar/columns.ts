import type { Column } from '../../output/column.ts';

export const CALENDAR_COLUMNS: readonly Column[] = [
  { name: 'id', header: 'ID', keep: true },
  { name: 'object', header: 'OBJECT', wide: true },
  { name: 'active', header: 'ACTIVE' },
  { name: 'created', header: 'CREATED', wide: true },
  { name: 'updated', header: 'UPDATED' },
  { name: 'name', header: 'NAME' },
  { name: 'description', header: 'DESCRIPTION' },
  { name: 'image', header: 'IMAGE' },
  { name: 'url', header: 'URL' },
];

export const EVENT_COLUMNS: readonly Column[] = [
  { name: 'id', header: 'ID', keep: true },
  { name: 'object', header: 'OBJECT', wide: true },
  { name: 'active', header: 'ACTIVE' },
  { name: 'created', header: 'CREATED', wide: true },
  { name: 'updated', header: 'UPDATED', wide: true },
  { name: 'name', header: 'NAME' },
  { name: 'description', header: 'DESCRIPTION', wide: true },
  { name: 'start', header: 'START' },
  { name: 'end', header: 'END' },
  { name: 'location', header: 'LOCATION' },
  { name: 'calendar', header: 'CALENDAR' },
  { name: 'url', header: 'URL', wide: true },
];

export const SUBSCRIBER_COLUMNS: readonly Column[] = [
  { name: 'id', header: 'ID', keep: true },
  { name: 'object', header: 'OBJECT', wide: true },
  { name: 'active', header: 'ACTIVE' },
  { name: 'created', header: 'CREATED', wide: true },
  { name: 'updated', header: 'UPDATED', wide: true },
  { name: 'email', header: 'EMAIL' },
  { name: 'first_name', header: 'FIRST NAME' },
  { name: 'last_name', header: 'LAST NAME' },
];
