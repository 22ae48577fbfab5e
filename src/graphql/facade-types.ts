import type { Harness } from '../runtime/harness.ts'

/** What the API reads through the façade. */
export type Stores = Harness['stores']
export type Subscriptions = Harness['subscriptions']

type Found<Find extends (...args: never[]) => Promise<unknown>> = NonNullable<Awaited<ReturnType<Find>>>

export type ScopeRow = Found<Stores['scopes']['find']>
export type SessionRow = Found<Stores['sessions']['find']>
export type SubtreeQuery = Parameters<Stores['structure']['members']>[0]
export type TombstoneRow = Found<Stores['structure']['tombstones']>[number]
export type RunRow = Found<Stores['runs']['find']>
export type MessageRow = Found<Stores['messages']['findMany']>[number]
export type PartRow = Found<Stores['messages']['parts']>[number]
export type EntryRow = Found<Stores['queue']['findMany']>[number]
export type PermissionRow = Found<Stores['permissions']['findMany']>[number]
export type GrantRow = Found<Stores['permissions']['grants']>[number]
export type ExecutionRow = Found<Stores['executions']['findMany']>[number]

export type ChildrenQuery = Parameters<Stores['sessions']['children']>[0][number]
export type DescendantsQuery = Parameters<Stores['sessions']['descendants']>[0]
export type SessionFilter = Parameters<Stores['sessions']['count']>[1]
export type SessionPosition = NonNullable<ChildrenQuery['after']>
export type RunsQuery = Parameters<Stores['runs']['pages']>[0][number]
export type MessagesQuery = Parameters<Stores['messages']['pages']>[0][number]
export type MessageKey = Parameters<Stores['messages']['parts']>[0][number]
export type PartKey = Parameters<Stores['messages']['findParts']>[0][number]

type Inbox = Awaited<ReturnType<Harness['liveInboxes']['follow']>>
export type InboxUpdate = Inbox extends AsyncIterator<infer Update> ? Update : never

export type EventsQuery = Parameters<Stores['events']['read']>[0]
export type EventsSubscription = Parameters<Subscriptions['events']>[0]
type Updates = Awaited<ReturnType<Subscriptions['events']>>
export type EventUpdate = Updates extends AsyncIterator<infer Update> ? Update : never
