import type { Family, Operation } from '../api/operation.ts';
import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';
import type { Places } from '../files/paths.ts';
import type { WriteRecorder } from '../history/record.ts';
import { paintsErrors, renderNotice } from '../output/failure-text.ts';
import type { OutputOptions } from '../output/options.ts';
import { openRowWriter, renderResult, writingBeside } from '../output/render.ts';
import type { CommonInput, Session } from '../session.ts';
import type { OpenService, ServiceOptions } from './open-service.ts';
import type { WaitDisplay } from './wait-display.ts';

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

/** The record of writes, as the flags and the environment want it. LOCAL_IO when there is no place for it. */
export async function openRecorderOf(
  { env, clock, pid, user }: Context,
  { stateDir }: Places,
  { history }: CommonInput,
  via: string | undefined,
): Promise<WriteRecorder> {
  const { openRecorder, NO_RECORD } = await import('../history/record.ts');
  const auditPath = env['FRONTDESK_AUDIT_LOG'] ?? '';
  const audit = auditPath === '' ? undefined : (await import('../history/audit-log.ts')).openAuditLog(auditPath);
  const ports = { clock, pid, user: via === undefined ? user : `${user} via ${via}`, audit };
  if (!history) return audit === undefined ? NO_RECORD : openRecorder({ ...ports, stateDir: undefined });
  if (stateDir !== undefined) return openRecorder({ ...ports, stateDir });
  throw new Failure(
    'LOCAL_IO',
    'the history cannot be written: there is no home folder, and FRONTDESK_STATE_DIR is not set; nothing was sent',
    { hints: ['set FRONTDESK_STATE_DIR, or add --no-history to keep no record of this write'] },
  );
}

/** What a session prints: results on stdout, notices and failures on stderr, each in the format of the moment. */
export function printerOf(
  context: Context,
  { quiet }: CommonInput,
  display: WaitDisplay,
  options: () => OutputOptions,
): Pick<Session, 'print' | 'openRows' | 'report' | 'notify'> {
  const { env, stdout, stderr } = context;
  return {
    async print(result) {
      display.clear();
      await renderResult(result, options(), stdout);
    },
    openRows: (columns, expectedRows, around) =>
      openRowWriter(columns, options(), around === undefined ? stdout : writingBeside(stdout, around), expectedRows),
    async report(failure) {
      display.clear();
      const { renderFailure } = await import('../output/failure-text.ts');
      const { widthOf } = await import('../output/line-break.ts');
      const { format, mask } = options();
      const style = {
        width: widthOf(stderr),
        colour: paintsErrors(context),
        debug: env['FRONTDESK_DEBUG'] === '1',
        mask,
      };
      await stderr.write(renderFailure(failure, format, style));
    },
    async notify(notice) {
      display.clear();
      if (notice.level === 'note' && quiet) return;
      const { format, mask } = options();
      await stderr.write(renderNotice(notice, format, stderr, mask, paintsErrors(context)));
    },
  };
}
