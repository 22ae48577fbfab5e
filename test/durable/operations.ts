export const CREATE = `mutation($session: ID!, $id: ID!) {
  createSession(input: { scopeId: "default", sessionId: $session, clientRequestId: $id }) {
    __typename ... on Error { code message }
  }
}`

export const ENQUEUE = `mutation($session: ID!, $text: String!, $id: ID!) {
  enqueuePrompt(input: { scopeId: "default", sessionId: $session, text: $text, clientRequestId: $id }) {
    __typename ... on Error { code message } ... on EnqueuePromptPayload { entry { queueId } }
  }
}`

export const ABORT = `mutation($session: ID!) {
  abortRun(input: { scopeId: "default", sessionId: $session }) { __typename ... on Error { code message } }
}`

export const RESPOND = `mutation($id: ID!, $decision: PermissionDecision!, $message: String) {
  respondToPermission(input: { scopeId: "default", permissionId: $id, decision: $decision, message: $message }) {
    __typename ... on Error { code message }
  }
}`

export const RECONCILE = `mutation($id: ID!, $outcome: ReconciliationOutcome!) {
  reconcileToolExecution(input: { scopeId: "default", intentId: $id, outcome: $outcome }) {
    __typename ... on Error { code message }
  }
}`

export const INBOX = `query { scope(id: "default") { pendingPermissions { permissionId session { sessionId } } } }`

export const SESSION = `query($session: ID!) {
  session(scopeId: "default", sessionId: $session) {
    status activity { kind } queue { status } runs(first: 2) { edges { node { attempts } } }
  }
}`

/** Sessions that are busy, and what may have happened in them. */
export const BUSY = `query {
  scope(id: "default") {
    sessions(first: 200, filter: { status: BUSY }) { edges { node {
      uncertainToolExecutions { intentId runId toolCallId state }
    } } }
  }
}`

export const FIRST_CURSOR = `query($after: String) { scope(id: "default") { events(first: 1, after: $after) { edges { cursor } } } }`

export const EVENTS = `subscription($after: String) {
  events(scopeId: "default", after: $after, deltas: false) { sequence cursor }
}`

export interface SessionSeen {
  readonly status: string
  readonly activity: { readonly kind: string }
  readonly queue: readonly { readonly status: string }[]
  readonly runs: Edges<{ readonly attempts: number }>
}

export interface ExecutionSeen {
  readonly intentId: string
  readonly runId: string
  readonly toolCallId: string
  readonly state: string
}

export interface RequestSeen {
  readonly permissionId: string
  readonly session: { readonly sessionId: string }
}

interface Edges<T> {
  readonly edges: readonly { readonly node: T }[]
}

export const sessionIn = (data: object): SessionSeen => (data as { session: SessionSeen }).session

export const executionsIn = (data: object): readonly ExecutionSeen[] =>
  (
    data as { scope: { sessions: Edges<{ uncertainToolExecutions: readonly ExecutionSeen[] }> } }
  ).scope.sessions.edges.flatMap(({ node }) => node.uncertainToolExecutions)

export const requestsIn = (data: object): readonly RequestSeen[] =>
  (data as { scope: { pendingPermissions: readonly RequestSeen[] } }).scope.pendingPermissions

export const firstCursorIn = (data: object): string | undefined =>
  (data as { scope: { events: { edges: readonly { cursor: string }[] } } }).scope.events.edges[0]?.cursor

export const STATUSES = `query { scope(id: "default") {
  busy: sessions(first: 1, filter: { status: BUSY }) { edges { node { status } } }
  awaiting: sessions(first: 1, filter: { status: AWAITING_PERMISSION }) { edges { node { status } } }
} }`

/** Of sessions that are not idle; none when there are none. */
export const statusesIn = (data: object): readonly string[] =>
  Object.values((data as { scope: Readonly<Record<string, Edges<{ status: string }>>> }).scope).flatMap(({ edges }) =>
    edges.map(({ node }) => node.status),
  )
