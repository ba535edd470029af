import { outside, quoted } from '../../base/json/outside-text.ts';
import { type JsonValue, textAt } from '../../base/json/value.ts';
import type { NextStep } from '../../base/next-step.ts';
import { isWrite, type Operation, resolvedBy } from '../api/operation.ts';
import { type CallOutcome, referenceAt, statusAt } from '../call-outcome.ts';
import type { CallInput, CallPolicy, Endpoint, StatusBefore } from './call.ts';

/** Where the base URL was set, for a hint. */
export function urlPlace(endpoint: Endpoint): string {
  const { baseUrl, urlVariable } = endpoint;
  const url = `${baseUrl.origin}${baseUrl.pathPrefix}`;
  return urlVariable === undefined ? `the base URL ${url}${ofProfile(endpoint)}` : `${urlVariable} (${url})`;
}

export interface CallFacts {
  readonly endpoint: Endpoint;
  readonly policy: CallPolicy;
  readonly operation: Operation;
  readonly id: string | undefined;
  /** The subject of messages: `block card 7c0e…`. */
  readonly subject: string;
  readonly before: StatusBefore | undefined;
  readonly attempts: number;
  /** Some attempt had a response, so the request has left, however the last attempt ended. */
  readonly wasAnswered: boolean;
  readonly unsentOutcome: 'rejected' | 'not_sent';
  /** When the first byte of the last attempt may have left (wall clock); undefined: none did. */
  readonly sentAtMs: number | undefined;
  readonly nowMs: number;
  /** Characters of the token that tokens rarely have: a shell or a file may have put them there. */
  readonly oddInToken: readonly string[];
}

export function idOf(input: Pick<CallInput, 'params'>): string | undefined {
  return input.params['cardId'] ?? input.params['id'];
}

/** `block card 7c0e…`. A new event has no ID yet, so its name and start are named. */
export function subjectOf(input: CallInput): string {
  const { verbPhrase } = input.operation;
  const id = idOf(input);
  const named = id === undefined ? eventName(input.body, ['start', 'calendar']) : outside(id);
  return named === undefined ? verbPhrase : `${verbPhrase} ${named}`;
}

/** `"Opening" (start 2026-05-01)`: names an event without an ID; undefined: it has no name. */
export function eventName(body: JsonValue | undefined, members: readonly string[] = ['start']): string | undefined {
  const name = textAt(body, 'name');
  const named = members.filter((member) => textAt(body, member) !== undefined);
  const known = named.map((member) => `${member} ${outside(textAt(body, member) ?? '')}`);
  const details = known.length === 0 ? '' : ` (${known.join(', ')})`;
  return name === undefined ? undefined : `${quoted(name)}${details}`;
}

/** What the response to a change shows of its card. A reissue returns another one. */
export function seenOf({ operation }: CallInput, card: JsonValue): Partial<CallOutcome> {
  if (resolvedBy(operation) === undefined) return {};
  return { observedStatus: statusAt(card), clientReference: referenceAt(card) };
}

/** What a refusal leaves behind: a change changed nothing. Nothing is said after a read. */
export function afterRefusal({ operation }: CallFacts): 'unchanged' | 'silent' {
  return isWrite(operation) ? 'unchanged' : 'silent';
}

/** The host without a default port. */
export function hostOf({ baseUrl: { origin } }: Pick<Endpoint, 'baseUrl'>): string {
  return origin.slice(origin.indexOf('//') + 2);
}

/** ` of profile demo`, where there is one. */
export function ofProfile({ profile }: Endpoint): string {
  return ` of profile ${profile}`;
}

/** The step that shows the card; empty if no command shows it. */
export function cardHints(
  step: 'check with' | 'see the card as it is now',
  { operation, id, endpoint }: CallFacts,
): readonly NextStep[] {
  if (operation.shownBy === undefined || id === undefined) return [];
  return [{ do: step, about: id, profile: endpoint.namedProfile }];
}
