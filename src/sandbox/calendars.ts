import { DEFAULT_LIST_LIMIT } from '../api/subscriber.ts';
import type { JsonObject, JsonValue } from '../json/value.ts';
import { randomHex, type Sources } from './ids.ts';
import { answeredText, keptText } from './json-text.ts';
import { refuse } from './refusal.ts';
import type { Call, Rule } from './request.ts';
import type { Decision, SandboxState } from './state.ts';

function calendarMissing(id: string): Decision {
  return refuse(404, 'CALENDAR_NOT_FOUND', `there is no calendar ${id}`, { id });
}

/** The given fields in the place of the old ones. */
function updated(kind: 'calendar' | 'subscriber', id: string, old: JsonObject, call: Call, sources: Sources): Decision {
  const resource = new Map<string, JsonValue>([...old, ...call.body, ['updated', sources.now]]);
  return { reply: { status: 200, body: answeredText(resource) }, changes: [{ kind, id, resource }] };
}

function updateCalendar(state: SandboxState, call: Call, sources: Sources): Decision {
  const id = call.params['id'] ?? '';
  const calendar = state.calendars.get(id);
  return calendar === undefined ? calendarMissing(id) : updated('calendar', id, calendar, call, sources);
}

function updateSubscriber(state: SandboxState, call: Call, sources: Sources): Decision {
  const id = call.params['id'] ?? '';
  const entry = state.subscribers.get(id);
  if (entry === undefined) return refuse(404, 'SUBSCRIBER_NOT_FOUND', `there is no subscriber ${id}`, { id });
  return updated('subscriber', id, entry.subscriber, call, sources);
}

function listSubscribers(state: SandboxState, call: Call): Decision {
  const id = call.params['id'] ?? '';
  if (!state.calendars.has(id)) return calendarMissing(id);
  const wanted = call.query['active'] ?? true;
  const limit = call.query['limit'] ?? DEFAULT_LIST_LIMIT;
  const entries: string[] = [];
  for (const subscriberId of state.subscriberIds.get(id) ?? []) {
    if (entries.length === limit) break;
    const entry = state.subscribers.get(subscriberId);
    if (entry !== undefined && (entry.subscriber.get('active') !== false) === wanted)
      entries.push(answeredText(entry.subscriber));
  }
  const url = JSON.stringify(`/v1/calendars/${encodeURIComponent(id)}/subscribers`);
  return { reply: { status: 200, body: `{"object":"list","data":[${entries.join(',')}],"url":${url}}` }, changes: [] };
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
  return { reply: { status: 200, body: keptText(resource) }, changes: [{ kind: 'event', id, resource }] };
}

/** The rules of the calendar API. */
export const CALENDAR_RULES = {
  calendarUpdate: updateCalendar,
  subscribersList: listSubscribers,
  subscriberUpdate: updateSubscriber,
  eventCreate: createEvent,
} satisfies Readonly<Record<string, Rule>>;
