import type { SeededRandom } from '../support/seeded-random.ts';
import { type Answer, type Asked, isOnceOnly, printAnswer, type Records, readAsked } from './answers.ts';
import { chanceOf } from './chance.ts';
import { CALM, type Fate, fateOf, type Weather } from './fates.ts';
import type { Connection, ConnectionFate, Listener } from './network.ts';
import type { Owner, Scheduler } from './scheduler.ts';

/** One request as the service saw it. */
export interface Arrival {
  readonly number: number;
  readonly asked: Asked;
  readonly by: Owner;
  readonly atMs: number;
  readonly fate: Fate;
  /** When it was done; undefined: it was not. */
  doneMs: number | undefined;
  /** The work is still to come. */
  isAhead: boolean;
  /** What was answered, once the last byte of it came to the process. */
  heard: Answer | undefined;
  /** The status of the card that an answer to a read showed. */
  shown: string | undefined;
  /** The id in the answer of what was made. */
  madeId: string | undefined;
}

/** The service, and all that stands between it and the processes. */
export class SimulatedService implements Listener {
  readonly arrivals: Arrival[] = [];
  readonly records: Records;
  weather: Weather;
  readonly #seed: number;
  readonly #scheduler: Scheduler;
  readonly #random: SeededRandom;
  readonly #counts = new Map<string, number>();
  readonly #tell: (line: string) => void;

  constructor(
    seed: number,
    scheduler: Scheduler,
    given: { readonly weather: Weather; readonly records: Records; readonly tell: (line: string) => void },
  ) {
    this.#seed = seed;
    this.#scheduler = scheduler;
    this.#random = chanceOf(seed, 'connections');
    this.weather = given.weather;
    this.records = given.records;
    this.#tell = given.tell;
  }

  /** From now on everything goes well. */
  calmDown(): void {
    this.weather = CALM;
  }

  fateOf(): ConnectionFate {
    const { connectionShare, connections } = this.weather;
    if (!this.#random.chance(connectionShare)) return 'open';
    return connections[this.#random.below(connections.length)] ?? 'open';
  }

  accept(connection: Connection): (bytes: Buffer) => void {
    let waiting = '';
    return (bytes) => {
      waiting += bytes.toString('latin1');
      for (;;) {
        const end = waiting.indexOf('\r\n\r\n');
        if (end === -1) return;
        const head = waiting.slice(0, end);
        const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
        if (waiting.length < end + 4 + length) return;
        const body = Buffer.from(waiting.slice(end + 4, end + 4 + length), 'latin1').toString();
        waiting = waiting.slice(end + 4 + length);
        const [method = '', path = ''] = head.split(' ', 2);
        this.#hear(connection, readAsked(method, path, body));
      }
    };
  }

  #hear(connection: Connection, asked: Asked): void {
    const what = `${asked.kind} ${asked.key}`;
    const nth = (this.#counts.get(what) ?? 0) + 1;
    this.#counts.set(what, nth);
    const weather = asked.kind === 'get' && this.weather.sparesReads === true ? CALM : this.weather;
    const fate = fateOf(this.#seed, what, nth, weather);
    const arrival: Arrival = {
      number: this.arrivals.length + 1,
      asked,
      by: connection.by,
      atMs: this.#scheduler.nowMs,
      fate,
      doneMs: undefined,
      isAhead: fate.workMs !== undefined,
      heard: undefined,
      shown: undefined,
      madeId: undefined,
    };
    this.arrivals.push(arrival);
    this.#tell(`request ${arrival.number} of process ${connection.by.pid}, ${what}: ${fate.name}`);
    let own: Answer | undefined;
    if (fate.workMs !== undefined) {
      this.#scheduler.after(fate.workMs, () => {
        own = this.#work(arrival);
      });
    }
    this.#scheduler.after(fate.saysMs, () => this.#say(connection, arrival, own));
    if (fate.againMs !== undefined) {
      this.#scheduler.after(fate.saysMs + fate.againMs, () => {
        // A late refusal on a connection that is used again is a known limit of writes that may be repeated.
        if (own !== undefined && (own.status === 200 || isOnceOnly(asked))) {
          connection.say(printAnswer(own, arrival.number));
        }
      });
    }
  }

  #work(arrival: Arrival): Answer {
    const { asked } = arrival;
    arrival.isAhead = false;
    const { isDone, ...answer } = this.records.act(asked);
    if (isDone) {
      arrival.doneMs = this.#scheduler.nowMs;
      arrival.madeId = /"(?:cardId|id)":"([^"]*)"/.exec(answer.text)?.[1];
      this.#tell(`request ${arrival.number} is done: ${asked.kind} ${asked.key}`);
    }
    return answer;
  }

  #say(connection: Connection, arrival: Arrival, own: Answer | undefined): void {
    const { says } = arrival.fate;
    if (says === 'nothing') return;
    const answer = typeof says === 'object' ? says : own;
    // Without an own answer its work is still to come.
    if (says === 'reset' || answer === undefined) {
      connection.reset();
      return;
    }
    const text = printAnswer(answer, arrival.number);
    if (says === 'half') {
      // The status is the word of the service, whatever comes after it; only what is done has to be heard to its end.
      connection.say(text.slice(0, Math.floor(text.length * 0.8)), () => {
        if (answer.status !== 200) arrival.heard = answer;
      });
      connection.reset();
      return;
    }
    connection.say(text, () => {
      arrival.heard = answer;
      if (arrival.asked.kind === 'get') arrival.shown = /"status":"([^"]*)"/.exec(answer.text)?.[1];
    });
  }
}
