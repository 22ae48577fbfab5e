import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ask, watch, type Watched } from './client.ts'
import { ENQUEUE, LIVE_RUN } from './operations.ts'

const INBOX = `subscription {
  pendingPermissions(scopeId: "default") { permissionId kind state metadata session { sessionId status } }
}`

const RESPOND = `mutation($input: RespondToPermissionInput!) {
  respondToPermission(input: $input) { __typename ... on Error { code message } }
}`

const TOLD = `query($session: ID!) {
  session(scopeId: "default", sessionId: $session) {
    status
    runs(first: 10) { edges { node { runId status error { code } } } }
    permissions { permissionId decision decidedBy }
    uncertainToolExecutions { intentId }
    messages(first: 10) {
      edges { node { role parts {
        ... on TextPart { text }
        ... on ToolPart { toolName status output error { code message } }
      } } }
    }
  }
}`

/** A request as the inbox shows it. */
interface Request {
  readonly permissionId: string
  readonly state: string
  readonly metadata: unknown
  readonly session: { readonly sessionId: string; readonly status: string }
}

export type Inbox = Watched<readonly Request[]>

interface Answer {
  readonly permissionId: string
  readonly decision: 'ONCE' | 'REJECT'
  readonly message?: string
}

/** What has become of a session; its parts are those of the assistant. */
interface Told {
  readonly status: string
  readonly runs: readonly { readonly runId: string; readonly status: string; readonly error: unknown }[]
  readonly permissions: readonly unknown[]
  readonly uncertainToolExecutions: readonly unknown[]
  readonly parts: readonly { readonly text?: string; readonly toolName?: string }[]
}

interface Edges<T> {
  readonly edges: readonly { readonly node: T }[]
}

interface Stored extends Omit<Told, 'runs' | 'parts'> {
  readonly runs: Edges<Told['runs'][number]>
  readonly messages: Edges<{ readonly role: string; readonly parts: Told['parts'] }>
}

const nodes = <T>({ edges }: Edges<T>): readonly T[] => edges.map(({ node }) => node)

/** The inbox of the scope, over WebSocket. */
export const inboxOf = (url: string): Inbox => watch(url, INBOX)

/** The first request that the inbox shows to wait. */
export async function asked(inbox: Inbox): Promise<Request> {
  const waiting = (update: readonly Request[]) => update.find(({ state }) => state === 'PENDING')
  const request = waiting(await inbox.first((update) => waiting(update) !== undefined))
  if (!request) throw new Error('Nothing waits.')
  return request
}

/** Answers over a connection of its own. Fails when that is refused. */
export async function respond(url: string, answer: Answer): Promise<void> {
  await ask(url, RESPOND, { input: { scopeId: 'default', ...answer } })
}

export async function enqueue(url: string, session: string, text: string): Promise<void> {
  await ask(url, ENQUEUE, { session, text })
}

/** What has become of a session, now. */
export async function told(url: string, session: string): Promise<Told> {
  const { session: found } = await ask<{ session: Stored }>(url, TOLD, { session })
  const parts = nodes(found.messages).flatMap((message) => (message.role === 'ASSISTANT' ? message.parts : []))
  return { ...found, runs: nodes(found.runs), parts }
}

/** What has become of a session once its run has ended. */
export async function toldAtLast(url: string, session: string): Promise<Told> {
  await watch(url, LIVE_RUN, { session }).ended
  return told(url, session)
}

/** A file of the workspace that a server takes when it is told of none; undefined when there is no such file. */
export const fileIn = (folder: string, name: string): Promise<string | undefined> =>
  readFile(join(folder, 'workspace', name), 'utf8').catch(() => undefined)
