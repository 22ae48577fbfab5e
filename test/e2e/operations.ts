export const CREATE = `mutation($session: ID!, $title: String) {
  createSession(input: { scopeId: "default", sessionId: $session, title: $title }) {
    __typename ... on Error { message }
  }
}`

export const ENQUEUE = `mutation($session: ID!, $text: String!) {
  enqueuePrompt(input: { scopeId: "default", sessionId: $session, text: $text }) {
    __typename ... on Error { message } ... on EnqueuePromptPayload { entry { queueId status } }
  }
}`

export const ABORT = `mutation($session: ID!) {
  abortRun(input: { scopeId: "default", sessionId: $session }) { __typename ... on Error { message } }
}`

export const EVENTS = `subscription($session: ID, $after: String) {
  events(scopeId: "default", sessionId: $session, after: $after) {
    __typename sequence cursor
    ... on PartDeltaEvent { delta baseBytes totalBytes }
    ... on PartCompletedEvent { part { status } }
    ... on PromptFinishedEvent { queueId entry { status } }
    ... on RunFinishedEvent { status error { code } }
  }
}`

export interface Event {
  readonly __typename: string
  readonly sequence: number | null
  readonly cursor: string | null
  readonly delta?: string
  readonly queueId?: string
  readonly status?: string
  readonly error?: { readonly code: string } | null
  readonly entry?: { readonly status: string }
  readonly part?: { readonly status: string }
}

export const LIVE_RUN = `subscription($session: ID!) {
  liveRun(scopeId: "default", sessionId: $session) { runId status messages { role parts { ... on TextPart { text } } } }
}`

export interface LiveRun {
  readonly status: string
  readonly messages: readonly { readonly role: string; readonly parts: readonly { readonly text?: string }[] }[]
}

export const CONVERSATION = `query($session: ID!) {
  session(scopeId: "default", sessionId: $session) {
    title status
    queue { queueId status }
    runs(first: 100) { edges { node { status error { code message } usage { totalTokens } model { provider id } } } }
    messages(first: 100) { edges { node { role parts { __typename status ... on TextPart { text } } } } }
  }
}`

interface Edges<T> {
  readonly edges: readonly { readonly node: T }[]
}

export interface Conversation {
  readonly session: {
    readonly title: string
    readonly status: string
    readonly queue: readonly { readonly queueId: string; readonly status: string }[]
    readonly runs: Edges<{
      readonly status: string
      readonly error: { readonly code: string } | null
      readonly model: { readonly provider: string; readonly id: string } | null
    }>
    readonly messages: Edges<{
      readonly role: string
      readonly parts: readonly { readonly status: string; readonly text?: string }[]
    }>
  } | null
}

export const isFinished = ({ __typename }: Event): boolean => __typename === 'RunFinishedEvent'
/** The end of a part that was cut off with its process. */
export const isInterrupted = ({ part }: Event): boolean => part?.status === 'INTERRUPTED'
export const isDelta = ({ __typename }: Event): boolean => __typename === 'PartDeltaEvent'
