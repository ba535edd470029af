import { readFileSync } from 'node:fs';
import { Calendar, Event, Subscriber, SubscriberList } from '../src/api/calendar.ts';
import { Card, ProvisionBody, ReasonBody, Transaction, WalletAResult, WalletBResult } from '../src/api/card.ts';
import { OPERATIONS } from '../src/api/operations.ts';
import { jsonSchemaOf, propertiesOf } from '../src/describe/json-schema.ts';
import type { JsonSchema } from '../src/json/shape.ts';

/** What the service sends. */
const RESOURCES: Readonly<Record<string, JsonSchema>> = {
  Card,
  Transaction,
  WalletAResult,
  WalletBResult,
  Calendar,
  CalendarEvent: Event,
  Subscriber,
  SubscriberList,
};

/** What it is sent, of which one field must be given. */
const UPDATES = {
  CalendarFields: jsonSchemaOf(OPERATIONS.calendarUpdate.body),
  SubscriberFields: jsonSchemaOf(OPERATIONS.subscriberUpdate.body),
};

/** What it is sent. */
const FIELDS: Readonly<Record<string, JsonSchema>> = {
  ReasonFields: jsonSchemaOf(ReasonBody),
  ProvisionFields: jsonSchemaOf(ProvisionBody),
  EventFields: jsonSchemaOf(OPERATIONS.eventCreate.body),
  ...UPDATES,
  SubscriberQuery: jsonSchemaOf(OPERATIONS.subscribersList.query),
};

const HEADING = `/**
 * What a program that uses frontdesk as a library sees. Made of src/library/types.ts and of the table of operations by
 * \`npm run generate\`. It imports nothing: these types need no other package, not even Node's.
 */

/**
 * The resources, as the service describes them. What it sends is passed on unchanged: members may be added, texts
 * may have new values, and the notice of a missing member is \`MISSING_FIELD\`.
 */
`;

const PROVISION_RESULTS = `/** The response of each wallet. */
export interface ProvisionResults {
  wallet_a: WalletAResult;
  wallet_b: WalletBResult;
}
`;

const AT_LEAST_ONE =
  '/** At least one field. A field that is left out or undefined is not sent; an empty text is. */\n';

const CREATE_CLIENT = `
/**
 * A client of the service. Nothing is sent, read or asked for before the first call. Throws a TypeError that names
 * what of the options cannot be used.
 */
export declare function createClient(options: ClientOptions): Client;
`;

function typeOf(schema: JsonSchema): string {
  const named = Object.keys(RESOURCES).find((name) => RESOURCES[name] === schema);
  if (named !== undefined) return named;
  // JSON Schema: these members are what they are called.
  const { type, anyOf, items } = schema as { type?: string | string[]; anyOf?: JsonSchema[]; items?: JsonSchema };
  if (anyOf !== undefined) return anyOf.map(typeOf).join(' | ');
  if (Array.isArray(type)) return type.map((one) => typeOf({ type: one })).join(' | ');
  if (type === 'array') return `${typeOf(items ?? {})}[]`;
  if (type === 'object') return 'Record<string, unknown>';
  return type === undefined ? 'unknown' : type.replace('integer', 'number');
}

function memberOf(name: string, schema: JsonSchema, isRequired: boolean, prefix: string): string {
  const type = typeOf(schema);
  const note = schema['description'] === undefined ? '' : `  /** ${String(schema['description'])} */\n`;
  const absent = isRequired || type === 'unknown' ? '' : ' | undefined';
  return `${note}  ${prefix}${name}${isRequired ? '' : '?'}: ${type}${absent};\n`;
}

function interfaceOf(name: string, schema: JsonSchema, isSent: boolean): string {
  const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
  const members = Object.entries(propertiesOf(schema)).map(([member, of]) =>
    memberOf(member, of, required.includes(member), isSent ? 'readonly ' : ''),
  );
  const note = isSent && name in UPDATES ? AT_LEAST_ONE : '';
  return `${note}export interface ${name} {\n${members.join('')}${isSent ? '' : '  [member: string]: unknown;\n'}}\n`;
}

/** The published types of the library: one file that imports nothing. */
export function libraryTypes(): string {
  const source = readFileSync(new URL('../src/library/types.ts', import.meta.url), 'utf8');
  const own = source.slice(source.indexOf('\n/** ') + 1);
  const resources = Object.entries(RESOURCES).map(([name, schema]) => interfaceOf(name, schema, false));
  const fields = Object.entries(FIELDS).map(([name, schema]) => interfaceOf(name, schema, true));
  return `${HEADING}${resources.join('\n')}\n${PROVISION_RESULTS}\n${fields.join('\n')}\n${own}${CREATE_CLIENT}`;
}
