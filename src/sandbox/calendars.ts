import { DEFAULT_LIST_LIMIT } from '../api/calendar.ts';
import { printJson } from '../json/print.ts';
import type { JsonObject, JsonValue } from '../json/value.ts';
import { randomHex, type Sources } from './ids.ts';
import { accept, refuse } from './refusal.ts';
import type { Call, Rule } from './request.ts';
import { type Decision, keptText, type SandboxState } from './state.ts';

/** Spec: texts of calendars and subscribers have at most this many characters in a response. */
const RESPONSE_TEXT_LIMIT = 5000;

/** A calendar or subscriber as the service answers it: texts within the response limits of the spec. */
function answeredText(kind: 'calendars' | 'subscribers', resource: JsonObject): string {
  const cut = (value: JsonValue) =>
    typeof value === 'string' && value.length > RESPONSE_TEXT_LIMIT
      ? Array.from(value).slice(0, RESPONSE_TEXT_LIMIT).join('')
      : value;
  const members = [...resource].filter(([name]) => kind === 'calendars' || name !== 'calendar');
  return printJson(new Map(members.map(([name, value]) => [name, cut(value)])));
}

function calendarMissing(id: string): Decision {
  return refuse(404, 'CALENDAR_NOT_FOUND', `there is no calendar ${id}`, { id });
}

/** The given fields in the place of the old ones. */
function update(kind: 'calendars' | 'subscribers', missing: (id: string) => Decision): Rule['decide'] {
  return (state, call, sources) => {
    const id = call.params['id'] ?? '';
    const old = state[kind].get(id);
    if (old === undefined) return missing(id);
    const resource = new Map<string, JsonValue>([...old, ...call.body, ['updated', sources.now]]);
    return accept(answeredText(kind, resource), { kind, id, resource });
  };
}

function listSubscribers(state: SandboxState, call: Call): Decision {
  const id = call.params['id'] ?? '';
  if (!state.calendars.has(id)) return calendarMissing(id);
  const wanted = call.query['active'] ?? true;
  const limit = call.query['limit'] ?? DEFAULT_LIST_LIMIT;
  const entries: string[] = [];
  for (const subscriber of state.subscribers.values()) {
    if (entries.length === limit) break;
    const isListed = subscriber.get('calendar') === id && (subscriber.get('active') !== false) === wanted;
    if (isListed) entries.push(answeredText('subscribers', subscriber));
  }
  const url = JSON.stringify(`/v1/calendars/${encodeURIComponent(id)}/subscribers`);
  return accept(`{"object":"list","data":[${entries.join(',')}],"url":${url}}`);
}

/** Members of an event in the order of the spec, after those that the service sets. */
const EVENT_FIELDS = ['name', 'description', 'start', 'end', 'location', 'calendar', 'url'];

function createEvent(state: SandboxState, call: Call, sources: Sources): Decision {
  const calendar = call.body.get('calendar');
  if (typeof calendar !== 'string' || !state.calendars.has(calendar)) return calendarMissing(String(calendar));
  const id = `evt_${randomHex(sources.random, 20)}`;
  const resource = new Map<string, JsonValue>([
    ['id', id],
    ['object', 'event'],
    ['active', call.body.get('active') ?? true],
    ['created', sources.now],
    ['updated', sources.now],
  ]);
  for (const name of EVENT_FIELDS) {
    const value = call.body.get(name);
    if (value !== undefined) resource.set(name, value);
  }
  return accept(keptText(resource), { kind: 'events', id, resource });
}

/** The rules of the calendar API. */
export const CALENDAR_RULES = {
  calendarUpdate: {
    decide: update('calendars', calendarMissing),
    choices: {
      'fields omitted in an update': 'They stay as they are. An update without any field changes only updated.',
    },
  },
  subscribersList: {
    decide: listSubscribers,
    choices: {
      'subscriber list':
        'In a fixed order; those without active count as active. There is no way past the first limit entries.',
    },
  },
  subscriberUpdate: {
    decide: update('subscribers', (id) => refuse(404, 'SUBSCRIBER_NOT_FOUND', `there is no subscriber ${id}`, { id })),
  },
  eventCreate: {
    decide: createEvent,
    choices: {
      'end of an event':
        'An event created without end has none. An end before the start is not refused. Times are kept as sent.',
      'calendar of an event':
        'The id of a calendar that exists, active or not, as a string; else 404 CALENDAR_NOT_FOUND.',
      events: 'The newest 100 are kept; no operation reads them.',
    },
  },
} satisfies Readonly<Record<string, Rule>>;
