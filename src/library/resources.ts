import type * as z from 'zod/mini';
import type { ProvisionBody, WalletAResult as WalletA, WalletBResult as WalletB } from '../api/card.ts';
import type { OPERATIONS } from '../api/operations.ts';
import type { ShapeOf } from '../json/shape.ts';

// The table's resources and fields for the compiler. The published types spell them out, so that they need no other
// package: `npm run generate` writes them (build/library-types.ts).

type Table = typeof OPERATIONS;

/** As the service sends it: members may be added. */
type Open<Value> = Value extends readonly (infer Item)[]
  ? Open<Item>[]
  : Value extends object
    ? { -readonly [Name in keyof Value]: Open<Value[Name]> } & { [member: string]: unknown }
    : Value;

type Sent<Row extends { readonly response: unknown }> = Open<ShapeOf<Row['response']>>;
type Fields<Row extends { readonly body: unknown }> = Readonly<z.input<Extract<Row['body'], z.ZodMiniType>>>;

export type Card = Sent<Table['cardGet']>;
export type Calendar = Sent<Table['calendarUpdate']>;
export type CalendarEvent = Sent<Table['eventCreate']>;
export type Subscriber = Sent<Table['subscriberUpdate']>;
export type SubscriberList = Sent<Table['subscribersList']>;
export type ReasonFields = Fields<Table['cardBlock']>;
export type CalendarFields = Fields<Table['calendarUpdate']>;
export type EventFields = Fields<Table['eventCreate']>;
export type SubscriberFields = Fields<Table['subscriberUpdate']>;
export type SubscriberQuery = Readonly<z.input<Table['subscribersList']['query']>>;
export type ProvisionFields = Readonly<z.input<typeof ProvisionBody>>;

/** The response of each wallet. */
export interface ProvisionResults {
  wallet_a: Open<ShapeOf<typeof WalletA>>;
  wallet_b: Open<ShapeOf<typeof WalletB>>;
}
