import { expect, it } from 'vitest';
import { commandSchema, treeSchema } from '../../../../src/cli/describe/command-schema.ts';
import { openApi } from '../../../../src/cli/describe/openapi.ts';
import { REGISTRY } from '../../../../src/registry.ts';
import { SAMPLE_CALLS } from '../../../support/sample-calls.ts';

const TYPES = ['null', 'boolean', 'object', 'array', 'number', 'string', 'integer'];

/** Breaches of JSON Schema (draft 2020-12) in the keywords that frontdesk writes, with their places. */
function schemaFaults(schema: unknown, place: string): string[] {
  if (typeof schema === 'boolean') return [];
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return [`${place}: not a schema`];
  return Object.entries(schema).flatMap(([keyword, value]) => keywordFaults(keyword, value, `${place}/${keyword}`));
}

function keywordFaults(keyword: string, value: unknown, place: string): string[] {
  const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value);
  switch (keyword) {
    case 'type':
      return [value].flat().every((type) => TYPES.includes(String(type))) ? [] : [`${place}: ${String(value)}`];
    case 'properties':
      return isRecord
        ? Object.entries(value).flatMap(([name, member]) => schemaFaults(member, `${place}/${name}`))
        : [`${place}: not an object`];
    case 'items':
    case 'additionalProperties':
    case 'propertyNames':
      return schemaFaults(value, place);
    case 'anyOf':
      return Array.isArray(value) && value.length > 0
        ? value.flatMap((member, at) => schemaFaults(member, `${place}/${at}`))
        : [`${place}: not a list`];
    case 'required':
      return Array.isArray(value) && value.every((name) => typeof name === 'string') ? [] : [`${place}: not names`];
    case 'pattern':
      return new RegExp(String(value), 'u').source === '' ? [`${place}: an empty pattern`] : [];
    case 'enum':
    case 'examples':
      return Array.isArray(value) ? [] : [`${place}: not a list`];
    default:
      return ['description', 'format', 'maxLength', 'minimum', 'maximum', 'default', 'const', '$ref'].includes(keyword)
        ? []
        : [`${place}: unknown keyword`];
  }
}

async function schemaOf(path: readonly string[]) {
  const entry = REGISTRY.find(path);
  if (entry === undefined) throw new Error(`no command ${path.join(' ')}`);
  return commandSchema(entry);
}

it.each(REGISTRY.entries.map((entry) => ({ name: entry.path.join(' '), entry })))(
  'schema $name has JSON Schemas of input and output',
  async ({ entry }) => {
    const { input, output } = await commandSchema(entry);
    expect(schemaFaults(output, 'output')).toEqual([]);
    if (input !== null) expect(schemaFaults(input, 'input')).toEqual([]);
  },
);

it('schema of a command gives the limits of the API with the option', async () => {
  const { options } = await schemaOf(['calendar', 'event', 'create']);
  const option = (long: string) => options.find((candidate) => candidate.long === long);
  expect(option('name')).toMatchObject({ required: true, field: 'name', limits: { maxLength: 5000 } });
  expect(option('description')).toMatchObject({ limits: { maxLength: 40_000 } });
  expect(option('url')).toMatchObject({ limits: { maxLength: 2048 } });
  expect(option('no-url')).not.toHaveProperty('limits');
});

it('schema of a command describes one row of a file as input', async () => {
  expect((await schemaOf(['card', 'block'])).input).toEqual({
    type: 'object',
    properties: {
      cardId: {
        type: 'string',
        pattern: '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$',
        description: 'unique identifier of the card',
        format: 'uuid',
      },
      reason: { type: 'string', description: 'why, as the service stores it' },
    },
    required: ['cardId'],
    additionalProperties: false,
  });
});

it('schema of a command names the requests it makes', async () => {
  expect((await schemaOf(['card', 'provision'])).operations).toEqual([
    { method: 'POST', path: '/v1/cards/{cardId}/provision/wallet_a' },
    { method: 'POST', path: '/v1/cards/{cardId}/provision/wallet_b' },
  ]);
});

it('schema of the tree has every command, the common options, exit codes and variables', async () => {
  const tree = await treeSchema(REGISTRY, '1.2.3');
  expect(tree.version).toBe('1.2.3');
  expect(tree.commands.map(({ path }) => path)).toEqual(REGISTRY.entries.map(({ path }) => path));
  expect(tree.commonOptions.map(({ long }) => long)).toContain('profile');
  const exitCodes = [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 15, 16, 17, 124, 130];
  expect(tree.exitCodes.map(({ exitCode }) => exitCode)).toEqual(exitCodes);
  expect(tree.environment.map(({ name }) => name)).toContain('FRONTDESK_CARDS_TOKEN');
  for (const [name, schema] of Object.entries(tree.output)) expect(schemaFaults(schema, name)).toEqual([]);
});

/** What the tests read of the document; its own shape is looser. */
interface Document {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, PathOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>>; readonly securitySchemes: unknown };
}

interface PathOperation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, { readonly content?: unknown }>>;
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: unknown } } };
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: unknown }[];
}

const text = JSON.stringify(openApi('1.0.0'));
// The document is plain data; a round trip gives it the type that these tests read.
const document = JSON.parse(text) as Document;
const operation = (path: string, method: string) => document.paths[path]?.[method];

it('OpenAPI has the operations of the service', () => {
  const listed = Object.entries(document.paths).flatMap(([path, item]) =>
    ['get', 'post'].filter((method) => method in item).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(listed.sort()).toEqual(
    Object.values(SAMPLE_CALLS)
      .map(({ endpoint }) => endpoint)
      .sort(),
  );
  expect(document.openapi).toBe('3.1.0');
});

it('OpenAPI shows only the error statuses that the service shows', () => {
  const statuses = (path: string, method: string) => Object.keys(operation(path, method)?.responses ?? {});
  expect(statuses('/v1/cards/{cardId}', 'get')).toEqual(['200', '401', '404', 'default']);
  expect(statuses('/v1/events', 'post')).toEqual(['200', 'default']);
  expect(operation('/v1/events', 'post')?.responses['default']).not.toHaveProperty('content');
  expect(operation('/v1/cards/{cardId}/provision/wallet_a', 'post')?.responses['default']).toHaveProperty('content');
});

it('OpenAPI has no body where the API has none', () => {
  expect(operation('/v1/cards/{cardId}/activate', 'post')).not.toHaveProperty('requestBody');
  expect(operation('/v1/cards/{cardId}/block', 'post')).toHaveProperty('requestBody');
});

const OPTIONAL = { in: 'query', required: false };
const LIMIT = { type: 'integer', minimum: 1, maximum: 100, default: 10 };

it('OpenAPI gives the query of the subscriber list with its limits and default', () => {
  const parameters = operation('/v1/calendars/{id}/subscribers', 'get')?.parameters ?? [];
  expect(parameters.filter((parameter) => parameter.in === 'query')).toEqual([
    { ...OPTIONAL, name: 'active', description: expect.any(String), schema: { type: 'boolean' } },
    { ...OPTIONAL, name: 'limit', description: 'number of objects returned', schema: LIMIT },
  ]);
});

it('OpenAPI refers to nothing that it does not have, and its schemas are schemas', () => {
  const references = [...text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name ?? '');
  expect(references.filter((name) => !Object.keys(document.components.schemas).includes(name))).toEqual([]);
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    expect(schemaFaults(schema, name)).toEqual([]);
  }
});

it('OpenAPI uses a bearer token for both families', () => {
  expect(document.components.securitySchemes).toEqual({
    cardsToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
    calendarKey: { type: 'http', scheme: 'bearer', description: 'API key' },
  });
});
