import { idNameOf, isWrite, type Operation, settledBy, toolNameOf } from '../api/operation.ts';
import { type CallOutcome, referenceAt, statusAt } from '../call-outcome.ts';
import type { Hint } from '../failure.ts';
import { type JsonValue, textAt } from '../json/value.ts';
import type { CallInput, CallPolicy, Endpoint, StatusBefore } from './call.ts';

/** Where the base URL was set, for a hint. */
export function urlPlace(endpoint: Endpoint): string {
  const { baseUrl, urlVariable } = endpoint;
  const url = `${baseUrl.origin}${baseUrl.pathPrefix}`;
  return urlVariable === undefined ? `the base URL ${url}${ofProfile(endpoint)}` : `${urlVariable} (${url})`;
}

/** What is known of a call in progress. */
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
  /** The outcome if the last attempt was not sent. */
  readonly unsentOutcome: 'rejected' | 'not_sent';
  /** When the first byte of the last attempt may have left (wall clock); undefined: none did. */
  readonly sentAtMs: number | undefined;
  readonly nowMs: number;
}

/** The ID in the path, if the operation has one. */
export function idOf(input: Pick<CallInput, 'params'>): string | undefined {
  return input.params['cardId'] ?? input.params['id'];
}

/** `block card 7c0e…`. A new event has no ID yet, so its name and start are named. */
export function subjectOf(input: CallInput): string {
  const { verbPhrase } = input.operation;
  const named = idOf(input) ?? eventName(input.body, ['start', 'calendar']);
  return named === undefined ? verbPhrase : `${verbPhrase} ${named}`;
}

/** `"Opening" (start 2026-05-01)`: names an event without an ID; undefined: it has no name. */
export function eventName(body: JsonValue | undefined, members: readonly string[] = ['start']): string | undefined {
  const name = textAt(body, 'name');
  const named = members.filter((member) => textAt(body, member) !== undefined);
  const known = named.map((member) => `${member} ${textAt(body, member)}`);
  const details = known.length === 0 ? '' : ` (${known.join(', ')})`;
  return name === undefined ? undefined : `"${name}"${details}`;
}

/** What the response to a change shows of its card. A reissue returns another one. */
export function seenOf({ operation }: CallInput, card: JsonValue): Partial<CallOutcome> {
  if (settledBy(operation) === undefined) return {};
  return { observedStatus: statusAt(card), clientReference: referenceAt(card) };
}

/** What a refusal leaves behind: a change changed nothing. Nothing is said after a read. */
export function afterRefusal({ operation }: CallFacts): 'unchanged' | undefined {
  return isWrite(operation) ? 'unchanged' : undefined;
}

/** The host without a default port. */
export function hostOf({ baseUrl: { origin } }: Pick<Endpoint, 'baseUrl'>): string {
  return origin.slice(origin.indexOf('//') + 2);
}

/** ` of profile demo`, where there is one. */
export function ofProfile({ profile }: Endpoint): string {
  return profile === undefined ? '' : ` of profile ${profile}`;
}

/** A hint with the command that shows the card; empty if no command shows it. */
export function lookHints(lead: string, { operation, id, endpoint }: CallFacts): readonly Hint[] {
  const { shownBy } = operation;
  if (shownBy === undefined || id === undefined) return [];
  const flag = endpoint.profileFlag ? ` ${endpoint.profileFlag}` : '';
  const tool = `${lead}: ${toolNameOf(shownBy)} with ${idNameOf(shownBy)} ${id}`;
  return [{ asks: 'look', text: `${lead}: frontdesk ${shownBy.command.replaceAll('.', ' ')} ${id}${flag}`, tool }];
}
