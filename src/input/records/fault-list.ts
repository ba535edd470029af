import type { InputFault } from './record.ts';

const MAX_FAULTS = 20;
/** Kinds that are remembered: a file of nothing but unknown names must not fill the memory. */
const MAX_KINDS = 10_000;

/** What faults of one kind in one column have in common. A place within a line is no column. */
function kindOf({ problem, kind = problem, column = '', field, cell, sheet }: InputFault): string {
  const name = /^\d+$/.test(column) ? '' : column;
  return `${sheet ?? ''}\n${cell ?? (name || field || '')}\n${kind}`;
}

/** The faults of an input: the first of each kind in each column with how many there are, and the one that ended it. */
export class FaultList {
  count = 0;
  readonly #kept: (InputFault & { count: number })[] = [];
  readonly #kinds = new Map<string, InputFault & { count: number }>();
  #end: InputFault | undefined;
  readonly #isGrouped: boolean;

  /** `isGrouped`: false for arguments, of which each is named. */
  constructor({ isGrouped }: { readonly isGrouped: boolean } = { isGrouped: true }) {
    this.#isGrouped = isGrouped;
  }

  add(faults: readonly InputFault[]): void {
    if (faults.length === 0) return;
    for (const fault of faults.toSorted((a, b) => a.line - b.line || (a.row ?? 0) - (b.row ?? 0))) this.#add(fault);
  }

  #add(fault: InputFault): void {
    this.count += 1;
    if (fault.isEnd === true) this.#end = fault;
    const isOne = !this.#isGrouped || fault.isUnique === true || fault.isEnd === true;
    const kind = isOne ? undefined : kindOf(fault);
    const known = kind === undefined ? undefined : this.#kinds.get(kind);
    if (known !== undefined) {
      known.count += 1;
      return;
    }
    const first = { ...fault, count: 1 };
    if (this.#kept.length < MAX_FAULTS) this.#kept.push(first);
    if (kind !== undefined && this.#kinds.size < MAX_KINDS) this.#kinds.set(kind, first);
  }

  /** At most 20: the first, and always the one behind which nothing was read. */
  get listed(): readonly InputFault[] {
    const end = this.#end;
    if (end === undefined || this.#kept.some(({ isEnd }) => isEnd === true)) return this.#kept;
    return [...this.#kept.slice(0, MAX_FAULTS - 1), end];
  }
}

/** How many faults the listed ones stand for. */
export function countOf(faults: readonly InputFault[]): number {
  return faults.reduce((sum, { count = 1 }) => sum + count, 0);
}
