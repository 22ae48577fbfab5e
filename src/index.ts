/**
 * What applications import: make stores and models, make a harness of them, and serve it or call it.
 */
export {
  embeddedHarness as createHarness,
  type EmbeddedHarnessOptions as HarnessOptions,
} from './server/embedded-harness.ts'
export type { Authenticator, Credentials } from './server/auth/authenticator.ts'
export { defaultSubagents } from './server/config/default-subagents.ts'
export { tokenHash } from './server/auth/token-hash.ts'
export { tokenAuthenticator, type TokenGrant } from './server/auth/token-authenticator.ts'
export { createGraphQLServer, type GraphQLServer, type GraphQLServerOptions } from './server/graphql-server.ts'
export type { TransportLimits } from './server/transport-limits.ts'
export { pinoLog } from './server/pino-log.ts'
export { memoryStores } from './stores/memory/memory-stores.ts'
export { prismaStores, type PrismaStoresOptions } from './stores/prisma/prisma-stores.ts'
export { modelRegistry } from './agent/registry.ts'
export type { SdkToolContext } from './agent/sdk-tool.ts'
export { type ReleasedTools, sdkToolProvider, type SdkTools } from './agent/sdk-tools.ts'
export { builtInTools } from './agent/tools/built-in-tools.ts'
export { calculatorTool } from './agent/tools/calculator.ts'
export { clockTool } from './agent/tools/clock.ts'
export { httpFetchTool, type HttpFetchOptions } from './agent/tools/http-fetch.ts'
export { workspaceTools, type WorkspaceToolsOptions } from './agent/tools/workspace-tools.ts'
export type { ModelsConfig, OpenAiCompatibleConfig, ProviderConfig } from './agent/models-config.ts'
export type { RecoveryPolicy } from './runtime/recovery-policy.ts'
export type { ErrorProjector, ErrorSource } from './runtime/run/project-error.ts'
export { systemClock } from './runtime/system-clock.ts'
export { systemIds } from './runtime/system-ids.ts'
export type {
  AbortRun,
  AnswerPermission,
  Caller,
  CancelPrompt,
  CommonRefusal,
  CreateSession,
  DeleteSession,
  DeleteSessionGenerationCohort,
  EnqueuePrompt,
  FenceScope,
  Harness,
  HarnessInfo,
  OpenScope,
  ReconcileToolExecution,
  RetireScope,
  RevokeGrant,
} from './runtime/harness.ts'
export { createContext, type GraphQLContext } from './graphql/context.ts'
export { schema } from './graphql/schema.ts'
export type { Principal } from './domain/access/principal.ts'
export type { Role } from './domain/access/role.ts'
export type { SubagentBudget, SubagentDefinition } from './domain/delegation/definition.ts'
export type { CohortEntry } from './domain/deletion/cohort.ts'
export type { Grant } from './domain/permission/grant.ts'
export type {
  Permission,
  PermissionAsk,
  PermissionDecision,
  PermissionOutcome,
  PermissionState,
  Resolution,
} from './domain/permission/permission.ts'
export type { PolicyEffect, PolicyRule } from './domain/permission/policy.ts'
export { defaultLimits, type Limits } from './domain/limits.ts'
export type { Budget, BudgetInput } from './domain/run/budget.ts'
export type { Json, JsonObject } from './kernel/json.ts'
export type { Answer, Issue, Refusal, RefusalCode, RefusalOf } from './kernel/refusal.ts'
export * from './kernel/ids.ts'
export type { Clock } from './ports/clock.ts'
export type { DelegatedRun, DelegatedRunAdmission, DelegatedRunLease } from './ports/delegated-run-admission.ts'
export type { EventTransport } from './ports/event-transport.ts'
export type { Ids } from './ports/ids.ts'
export type { Model, ModelResolver, StepCall, StepPart } from './ports/model.ts'
export type { ModelRequest } from './ports/model-request.ts'
export type { ResolvedScope, ScopeResolver } from './ports/scope-resolver.ts'
export type { Stores } from './ports/stores/stores.ts'
export type { EventsSubscription, EventUpdate, Subscriptions } from './ports/subscriptions.ts'
export type { Log } from './ports/telemetry.ts'
export { ToolError } from './ports/tool-error.ts'
export type { CheckedInput, Tool, ToolCall, ToolHandle, ToolProvider, ToolRequest } from './ports/tools.ts'
export { UnknownModelError } from './ports/unknown-model-error.ts'
