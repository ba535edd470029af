import type { Family, Operation } from '../../api/operation.ts';
import type { Session } from '../../session.ts';
import type { OpenService, ServiceOptions } from './open-service.ts';

/** The services of a session, each opened when it is first asked for. */
export class Services {
  readonly #options: Omit<ServiceOptions, 'isPermitted'>;
  readonly #permitted = new Set<string>();
  readonly #opened = new Map<Family, Promise<OpenService>>();

  constructor(options: Omit<ServiceOptions, 'isPermitted'>) {
    this.#options = options;
  }

  open(family: Family, session: Session): Promise<OpenService> {
    const known = this.#opened.get(family);
    if (known !== undefined) return known;
    const isPermitted = ({ name }: Operation) => this.#permitted.has(name);
    const opening = import('./open-service.ts').then(({ openService }) =>
      openService(session, family, { ...this.#options, isPermitted }),
    );
    this.#opened.set(family, opening);
    return opening;
  }

  permit({ name }: Operation): void {
    this.#permitted.add(name);
  }

  async close(): Promise<void> {
    const opened = await Promise.allSettled(this.#opened.values());
    for (const service of opened) if (service.status === 'fulfilled') await service.value.close();
  }
}
