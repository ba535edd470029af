import type * as z from 'zod/mini';
import { type JsonSchema, TEXT } from '../../base/json/shape.ts';
import { Calendar, Event, Subscriber, SubscriberList } from '../../service/api/calendar.ts';
import { Card, Transaction, WalletAResult, WalletBResult } from '../../service/api/card.ts';
import type { Family, Operation } from '../../service/api/operation.ts';
import { ALL_OPERATIONS } from '../../service/api/operations.ts';
import { CUSTOM_DATA, described, type Resource, resource } from '../../service/api/resource.ts';
import { jsonSchemaOf } from './json-schema.ts';

/** Error body of the gift-card API. That of the calendar API is not documented. */
const ErrorBody = resource(
  {
    errorCode: described(TEXT, 'machine-readable code; the set of values is not documented'),
    message: described(TEXT, 'human-readable message'),
    details: described(CUSTOM_DATA, 'additional details'),
  },
  ['errorCode', 'message'],
);

/** Resources with a name of their own in the document. */
const COMPONENTS: Readonly<Record<string, Resource>> = {
  Card,
  Transaction,
  WalletAResult,
  WalletBResult,
  Calendar,
  Event,
  Subscriber,
  SubscriberList,
  ErrorBody,
};

const SECURITY: Readonly<Record<Family, string>> = { cards: 'cardsToken', calendar: 'calendarKey' };

function server(family: Family, description: string): JsonSchema {
  const name = `${family}_base_url`;
  return { url: `{${name}}`, description, variables: { [name]: { default: `https://${family}.example.com` } } };
}

const SERVERS: Readonly<Record<Family, JsonSchema>> = {
  cards: server('cards', 'base URL of the gift cards'),
  calendar: server('calendar', 'base URL of the calendars'),
};

function json(schema: JsonSchema): JsonSchema {
  return { 'application/json': { schema } };
}

function reference(resource: Resource): JsonSchema {
  const name = Object.entries(COMPONENTS).find(([, component]) => component === resource)?.[0];
  return name === undefined ? resource : { $ref: `#/components/schemas/${name}` };
}

const ERROR_CONTENT = json({ $ref: '#/components/schemas/ErrorBody' });

function errorsOf(operation: Operation): JsonSchema {
  const { errors } = operation;
  if (typeof errors === 'string') return { default: { description: errors, content: ERROR_CONTENT } };
  if (errors !== undefined) {
    const content = ERROR_CONTENT;
    const shown = Object.entries(errors).map(([status, description]) => [status, { description, content }]);
    return { ...Object.fromEntries(shown), default: { description: 'other error statuses: not documented' } };
  }
  const what =
    operation.family === 'cards' ? 'error statuses: not documented' : 'error statuses and error body: not documented';
  return { default: { description: what } };
}

function parametersOf(operation: Operation): readonly JsonSchema[] {
  const query = operation.query === null ? [] : [{ place: 'query', schema: operation.query }];
  const lists = [{ place: 'path', schema: operation.params }, ...query];
  return lists.flatMap(({ place, schema: { shape } }) =>
    Object.entries(shape).map(([name, field]) => {
      // zod: members of a classic object schema are classic schemas, which the type does not say.
      const { description, ...schema } = jsonSchemaOf(field as z.ZodMiniType);
      return { name, in: place, required: place === 'path', ...(description ? { description } : {}), schema };
    }),
  );
}

function operationObject(operation: Operation): JsonSchema {
  const { body } = operation;
  const parameters = parametersOf(operation);
  return {
    operationId: operation.name,
    summary: operation.verbPhrase.replace(` of ${operation.object}`, ` of a ${operation.object}`),
    tags: [operation.family],
    security: [{ [SECURITY[operation.family]]: [] }],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === null ? {} : { requestBody: { required: true, content: json(jsonSchemaOf(body)) } }),
    responses: {
      200: { description: 'success', content: json(reference(operation.response)) },
      ...errorsOf(operation),
    },
  };
}

function component(resource: Resource): JsonSchema {
  const properties = Object.entries(resource.properties).map(([name, member]) => {
    const items = Object.values(COMPONENTS).find((known) => known === member['items']);
    return [name, items === undefined ? member : { ...member, items: reference(items) }];
  });
  return { ...resource, properties: Object.fromEntries(properties) };
}

/** OpenAPI 3.1 of the service as frontdesk understands it, from the table of operations. */
export function openApi(version: string): JsonSchema {
  const paths = new Map<string, JsonSchema>();
  for (const operation of ALL_OPERATIONS) {
    const known = paths.get(operation.path) ?? { servers: [SERVERS[operation.family]] };
    paths.set(operation.path, { ...known, [operation.method.toLowerCase()]: operationObject(operation) });
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Gift cards and calendars, as frontdesk understands them',
      version,
      description:
        'Written from the table of operations of frontdesk. What the service does not document is omitted or marked as not documented. Responses may have further members and further values of status, type and code.',
    },
    servers: [SERVERS.cards, SERVERS.calendar],
    tags: [
      { name: 'cards', description: 'digital gift cards' },
      { name: 'calendar', description: 'calendars, events and subscribers' },
    ],
    paths: Object.fromEntries(paths),
    components: {
      securitySchemes: {
        cardsToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
        calendarKey: { type: 'http', scheme: 'bearer', description: 'API key' },
      },
      schemas: Object.fromEntries(Object.entries(COMPONENTS).map(([name, resource]) => [name, component(resource)])),
    },
  };
}
