import { expect, expectTypeOf, it } from 'vitest';
import type * as z from 'zod/mini';
import type {
  ProvisionBody,
  WalletAResult as WalletASchema,
  WalletBResult as WalletBSchema,
} from '../../../src/api/card.ts';
import type { OPERATIONS } from '../../../src/api/operations.ts';
import type { Resource } from '../../../src/api/resource.ts';
import { FAILURES } from '../../../src/failure.ts';
import type { ShapeOf } from '../../../src/json/shape.ts';
import type {
  CalendarFields,
  Calendar as CalendarResource,
  CallError,
  Card as CardResource,
  Client,
  ErrorCode,
  EventFields,
  CalendarEvent as EventResource,
  ProvisionFields,
  ReadResult,
  ReasonFields,
  Subscriber,
  SubscriberFields,
  SubscriberList,
  SubscriberQuery,
  Transaction,
  WalletAResult,
  WalletBResult,
  WriteResult,
} from '../../../types/library.d.ts';

// The published types stand alone: they are written out of the table of operations. The compiler holds them to it.

type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] };
type Input<Row extends { body: z.ZodMiniObject | null }> = z.input<NonNullable<Row['body']>>;
type Table = typeof OPERATIONS;
/** Without the members that have no name of their own. */
type Named<Type> = { [Key in keyof Type as string extends Key ? never : Key]: Type[Key] };

it('the published types take the fields of the table', () => {
  expectTypeOf<Mutable<ReasonFields>>().toEqualTypeOf<Input<Table['cardBlock']>>();
  expectTypeOf<Mutable<ReasonFields>>().toEqualTypeOf<Input<Table['cardReissue']>>();
  expectTypeOf<Mutable<ProvisionFields>>().toEqualTypeOf<z.input<typeof ProvisionBody>>();
  expectTypeOf<Mutable<CalendarFields>>().toEqualTypeOf<Input<Table['calendarUpdate']>>();
  expectTypeOf<Mutable<EventFields>>().toEqualTypeOf<Input<Table['eventCreate']>>();
  expectTypeOf<Mutable<SubscriberFields>>().toEqualTypeOf<Input<Table['subscriberUpdate']>>();
  expectTypeOf<Mutable<SubscriberQuery>>().toEqualTypeOf<z.input<Table['subscribersList']['query']>>();
});

it('the published types give the resources of the table, and keep unknown members', () => {
  type Output<Row extends { response: Resource }> = Mutable<ShapeOf<Row['response']>>;
  type TableCard = Output<Table['cardGet']>;
  expectTypeOf<Omit<Named<CardResource>, 'transactions'>>().toEqualTypeOf<Omit<TableCard, 'transactions'>>();
  expectTypeOf<Named<Transaction>>().toEqualTypeOf<Mutable<NonNullable<TableCard['transactions']>[number]>>();
  expectTypeOf<Named<CalendarResource>>().toEqualTypeOf<Output<Table['calendarUpdate']>>();
  expectTypeOf<Named<EventResource>>().toEqualTypeOf<Output<Table['eventCreate']>>();
  expectTypeOf<Named<Subscriber>>().toEqualTypeOf<Output<Table['subscriberUpdate']>>();
  type TableList = Output<Table['subscribersList']>;
  expectTypeOf<Omit<Named<SubscriberList>, 'data'>>().toEqualTypeOf<Omit<TableList, 'data'>>();
  expectTypeOf<Named<SubscriberList['data'][number]>>().toEqualTypeOf<Mutable<TableList['data'][number]>>();
  expectTypeOf<Named<WalletAResult>>().toEqualTypeOf<Mutable<ShapeOf<typeof WalletASchema>>>();
  expectTypeOf<Named<WalletBResult>>().toEqualTypeOf<Mutable<ShapeOf<typeof WalletBSchema>>>();
  expectTypeOf<CardResource['a member of next year']>().toEqualTypeOf<unknown>();
});

it('the published types tell the five outcomes of a write apart, and nothing else', () => {
  expectTypeOf<WriteResult<CardResource>['outcome']>().toEqualTypeOf<
    'applied' | 'confirmed_by_read' | 'rejected' | 'not_sent' | 'unknown'
  >();
  type Unknown = Extract<WriteResult<CardResource>, { outcome: 'unknown' }>;
  expectTypeOf<Unknown['error']>().toEqualTypeOf<CallError>();
  expectTypeOf<Unknown>().not.toHaveProperty('resource');
  type Done = Extract<WriteResult<CardResource>, { outcome: 'applied' | 'confirmed_by_read' }>;
  expectTypeOf<Done['resource']>().toEqualTypeOf<CardResource>();
  expectTypeOf<Done['text']>().toEqualTypeOf<string>();
  expectTypeOf<Extract<ReadResult<CardResource>, { ok: false }>['error']>().toEqualTypeOf<CallError>();
});

it('the published types know what each wallet answers with, and take an AbortSignal', () => {
  const provisioned = (client: Client, signal: AbortSignal) =>
    client.card.provision('id', { wallet: 'wallet_b' }, { signal });
  expectTypeOf(provisioned).returns.resolves.toEqualTypeOf<WriteResult<WalletBResult>>();
});

it('the published types refuse what the service does not have', () => {
  const wrong = (client: Client) => {
    // @ts-expect-error: a wallet that there is not
    void client.card.provision('id', { wallet: 'wallet_c' });
    // @ts-expect-error: an activation has no reason
    void client.card.activate('id', { reason: 'lost' });
    // @ts-expect-error: only the url of a new event may be null
    void client.calendar.update('id', { url: null });
    // @ts-expect-error: an event has a start
    void client.calendar.createEvent({ calendar: 'c', name: 'n' });
  };
  expectTypeOf(wrong).parameter(0).toEqualTypeOf<Client>();
});

it('the published types name the failures of the table that a call can end with', () => {
  const codes: Record<ErrorCode, number> = {
    NOT_FOUND: 3,
    AUTH: 4,
    FORBIDDEN: 5,
    REJECTED: 6,
    UNREACHABLE: 7,
    OUTCOME_UNKNOWN: 8,
    BAD_REPLY: 10,
    BUSY: 11,
    CANCELLED: 130,
  };
  expect(codes).toEqual(
    Object.fromEntries(
      Object.entries(FAILURES).flatMap(([code, { exitCode }]) => (code in codes ? [[code, exitCode]] : [])),
    ),
  );
});
