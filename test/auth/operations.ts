import { eventCursors } from '../../src/graphql/modules/event/type.ts'
import type { OperationName } from '../../src/graphql/role-table.ts'
import { asStorageKey } from '../../src/kernel/ids.ts'
import type { Question } from './asking.ts'

/** What an operation is asked about. The session is `s`, unless another is named. */
export interface About {
  readonly scope: string
  readonly session?: string
}

type Operation = (about: About) => Question

const operation =
  (query: string): Operation =>
  ({ scope, session = 's' }) => ({
    query,
    variables: {
      scope,
      session,
      scopeNode: `Scope:${encodeURIComponent(scope)}`,
      beginning: eventCursors({ storageKey: asStorageKey(scope) }).encode(0),
      sessionNode: `Session:${encodeURIComponent(scope)}/${session}`,
    },
  })

const refusal = '... on Error { __typename code message }'

/** One operation for each root field. What they ask for is there in planted scopes. */
export const operations: Readonly<Record<OperationName, Operation>> = {
  'Query.harness': operation('{ harness { version } }'),
  'Query.node': operation('query ($sessionNode: ID!) { node(id: $sessionNode) { __typename id } }'),
  'Query.nodes': operation(
    'query ($scopeNode: ID!, $sessionNode: ID!) { nodes(ids: [$scopeNode, $sessionNode]) { __typename id } }',
  ),
  'Query.scope': operation('query ($scope: ID!) { scope(id: $scope) { scopeId sessions { totalCount } } }'),
  'Query.scopes': operation('{ scopes { edges { node { scopeId } } } }'),
  'Query.session': operation(
    'query ($scope: ID!, $session: ID!) { session(scopeId: $scope, sessionId: $session) { title } }',
  ),
  'Mutation.abortRun': operation(`mutation ($scope: ID!, $session: ID!) {
    abortRun(input: { scopeId: $scope, sessionId: $session }) { ${refusal} ... on AbortRunPayload { aborted } }
  }`),
  'Mutation.cancelPrompt': operation(`mutation ($scope: ID!, $session: ID!) {
    cancelPrompt(input: { scopeId: $scope, sessionId: $session, queueId: "none" }) { ${refusal} }
  }`),
  'Mutation.createSession': operation(`mutation ($scope: ID!) {
    createSession(input: { scopeId: $scope }) { ${refusal} ... on CreateSessionPayload { session { createdBy } } }
  }`),
  'Mutation.deleteSession': operation(`mutation ($scope: ID!, $session: ID!) {
    deleteSession(input: { scopeId: $scope, sessionId: $session }) {
      ${refusal} ... on DeleteSessionPayload { deletedSessionIds }
    }
  }`),
  'Mutation.deleteSessionGenerationCohort': operation(`mutation ($scope: ID!, $session: ID!) {
    deleteSessionGenerationCohort(input: {
      scopeId: $scope
      root: { sessionId: $session, generationId: "none", generationSequence: 1 }
      authorizedCohort: [{ sessionId: $session, generationId: "none", generationSequence: 1 }]
    }) { ${refusal} ... on DeleteSessionGenerationCohortPayload { matched } }
  }`),
  'Mutation.enqueuePrompt': operation(`mutation ($scope: ID!, $session: ID!) {
    enqueuePrompt(input: { scopeId: $scope, sessionId: $session, text: "Hi" }) {
      ${refusal} ... on EnqueuePromptPayload { entry { createdBy } }
    }
  }`),
  'Mutation.reconcileToolExecution': operation(`mutation ($scope: ID!) {
    reconcileToolExecution(input: { scopeId: $scope, intentId: "none", outcome: NOT_EXECUTED }) { ${refusal} }
  }`),
  'Mutation.respondToPermission': operation(`mutation ($scope: ID!) {
    respondToPermission(input: { scopeId: $scope, permissionId: "none", decision: ONCE }) { ${refusal} }
  }`),
  'Mutation.retireScope': operation(`mutation ($scope: ID!) {
    retireScope(input: { scopeId: $scope }) { ${refusal} ... on RetireScopePayload { scope { lifecycle } } }
  }`),
  'Mutation.revokeGrant': operation(`mutation ($scope: ID!, $session: ID!) {
    revokeGrant(input: { scopeId: $scope, sessionId: $session, rememberKey: "none" }) { ${refusal} }
  }`),
  'Subscription.events': operation(`subscription ($scope: ID!, $session: ID!, $beginning: String) {
    events(scopeId: $scope, sessionId: $session, after: $beginning) { type }
  }`),
  'Subscription.liveRun': operation(`subscription ($scope: ID!, $session: ID!) {
    liveRun(scopeId: $scope, sessionId: $session) { status }
  }`),
  'Subscription.pendingPermissions': operation('subscription ($scope: ID!) { pendingPermissions(scopeId: $scope) { id } }'),
}
