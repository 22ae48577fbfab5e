import { ask, type Data, firstCursor, watch, type Watched } from './client.ts'

const FAMILY = `query($session: ID!) {
  session(scopeId: "default", sessionId: $session) {
    ...Member descendants(first: 5) { edges { node { ...Member } } }
  }
}
fragment Member on Session {
  sessionId agent depth status treeStatus parent { sessionId }
  runs(first: 2) { edges { node { runId status error { code } } } }
  permissions { permissionId kind state decision metadata }
  messages(first: 4) { edges { node { role parts { ... on TextPart { text } ... on ToolPart { toolName status error { message } } } } } }
}`

interface Edges<T> {
  readonly edges: readonly { readonly node: T }[]
}

/** A session of a tree, with what it did and said; its parts are those of the assistant. */
export interface Member {
  readonly sessionId: string
  readonly agent: string | null
  readonly depth: number
  readonly status: string
  readonly treeStatus: string
  readonly parent: { readonly sessionId: string } | null
  readonly runs: readonly { readonly runId: string; readonly status: string; readonly error: unknown }[]
  readonly permissions: readonly { readonly permissionId: string; readonly state: string }[]
  readonly parts: readonly Data[]
}

interface Stored extends Omit<Member, 'runs' | 'parts'> {
  readonly runs: Edges<Member['runs'][number]>
  readonly messages: Edges<{ readonly role: string; readonly parts: readonly Data[] }>
}

const memberOf = ({ runs, messages, ...rest }: Stored): Member => ({
  ...rest,
  runs: runs.edges.map(({ node }) => node),
  parts: messages.edges.flatMap(({ node }) => (node.role === 'ASSISTANT' ? node.parts : [])),
})

/** A session and all below it, each before its children. */
export async function familyOf(url: string, session: string): Promise<readonly Member[]> {
  const { session: root } = await ask<{ session: Stored & { descendants: Edges<Stored> } }>(url, FAMILY, { session })
  const { descendants, ...self } = root
  return [self, ...descendants.edges.map(({ node }) => node)].map(memberOf)
}

/** What happens in a tree, as far as the steps of a story wait for it. */
export const STORY = `subscription($session: ID!, $after: String) {
  events(scopeId: "default", sessionId: $session, after: $after, deltas: false) {
    type sessionId cursor
    ... on PermissionRequestedEvent { permission { permissionId kind description metadata } }
    ... on RunFinishedEvent { status session { agent depth } }
    ... on SessionCreatedEvent { agent depth }
  }
}`

export interface StoryEvent {
  readonly type: string
  readonly sessionId: string
  readonly cursor: string
  readonly permission?: { readonly permissionId: string; readonly kind: string; readonly description: string; readonly metadata: Data }
  readonly status?: string
  readonly session?: { readonly agent: string | null; readonly depth: number }
}

export type Story = Watched<StoryEvent>

/** What happens in a tree from the beginning of the scope on, whenever the subscription begins. */
export async function storyOf(url: string, session: string): Promise<Story> {
  return watch(url, STORY, { session, after: await firstCursor(url) })
}

/** The request with this description, as soon as somebody asks it. */
export async function requested(story: Story, description: string): Promise<string> {
  const { permission } = await story.first((event) => event.permission?.description.startsWith(description) === true)
  return permission?.permissionId ?? ''
}

/** Resolves when a run of a session at this depth has ended. */
export const ended = (story: Story, depth: number): Promise<StoryEvent> =>
  story.first(({ type, session }) => type === 'RUN_FINISHED' && session?.depth === depth)
