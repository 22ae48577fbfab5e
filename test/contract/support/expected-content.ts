import type { IntentId, PermissionId, QueueId } from '../../../src/kernel/ids.ts'
import type { EventDraft } from '../../../src/domain/event/event.ts'
import type { LogBody } from '../../../src/domain/log/entry.ts'
import type { OpenTool, Part } from '../../../src/domain/message/message.ts'
import type { Grant } from '../../../src/domain/permission/grant.ts'
import type { Permission } from '../../../src/domain/permission/permission.ts'
import type { Entry } from '../../../src/domain/prompt/entry.ts'
import { promptMachine } from '../../../src/domain/prompt/machine.ts'
import type { Prompt } from '../../../src/domain/prompt/prompt.ts'
import type { Run } from '../../../src/domain/run/run.ts'
import { calledBy, type Content, type ContentEvent, resolvedBy } from '../../../src/domain/session/content.ts'
import type { UncertainExecution } from '../../../src/domain/tool/execution.ts'
import { executionMachine } from '../../../src/domain/tool/execution-machine.ts'

/** What must be in the store by the events alone, besides the content. */
export class Expected {
  readonly prompts = new Map<QueueId, Prompt>()
  readonly entries = new Map<QueueId, Entry>()
  readonly ended = new Map<number, Run>()
  /** By message index and part index. */
  readonly closed = new Map<string, Pick<Part, 'status' | 'body'>>()
  readonly permissions = new Map<PermissionId, Permission>()
  readonly grants = new Map<string, Grant>()
  readonly executions = new Map<IntentId, UncertainExecution>()
  readonly log: LogBody[] = []
  readonly drafts: EventDraft[] = []
  readonly texts = new Map<number, string>()

  add({ run }: Content, event: ContentEvent): void {
    switch (event.type) {
      case 'entryQueued':
        this.prompts.set(event.entry.queueId, event.prompt)
        this.entries.set(event.entry.queueId, event.entry)
        break
      case 'entryChanged': {
        const entry = this.entries.get(event.entry.queueId)!
        this.entries.set(entry.queueId, { ...entry, state: promptMachine.evolve(entry.state, event.event) })
        break
      }
      case 'runAdmitted':
        this.texts.clear()
        break
      case 'runChanged':
        if (event.event.type === 'finished') {
          const { outcome, at } = event.event
          this.ended.set(run!.ordinal, { ...run!, state: { kind: 'finished', outcome, at } })
        }
        break
      case 'partOpened':
        if (event.part.kind !== 'tool') this.texts.set(event.part.partIndex, '')
        break
      case 'partGrown':
        this.texts.set(event.part.partIndex, this.texts.get(event.part.partIndex)! + event.text)
        break
      case 'partClosed': {
        const { part, status, text } = event
        this.texts.delete(part.partIndex)
        this.closed.set(`${run!.assistantMessageIndex}.${part.partIndex}`, { status, body: { kind: part.kind, text } })
        break
      }
      case 'callChanged': {
        const ended = endOf(calledBy(event.part, event.event))
        if (ended) this.closed.set(`${run!.assistantMessageIndex}.${event.part.partIndex}`, ended)
        break
      }
      case 'permissionRequested':
        this.permissions.set(event.permission.permissionId, event.permission)
        break
      case 'permissionResolved':
        this.permissions.set(event.permission.permissionId, resolvedBy(event.permission, event.event))
        break
      case 'granted':
        this.grants.set(event.grant.rememberKey, event.grant)
        break
      case 'grantRevoked':
        this.grants.delete(event.grant.rememberKey)
        break
      case 'executionListed':
        this.executions.set(event.execution.intentId, event.execution)
        break
      case 'executionReconciled': {
        const state = executionMachine.evolve(event.execution.state, event.event)
        this.executions.set(event.execution.intentId, { ...event.execution, state })
        break
      }
      case 'logged':
        this.log.push(event.body)
        break
      case 'messageCreated':
        for (const { messageIndex, partIndex, status, body } of event.parts) {
          this.closed.set(`${messageIndex}.${partIndex}`, { status, body })
        }
        break
      case 'messageUpdated':
      case 'childLinked':
      case 'workChanged':
        break
    }
  }
}

/** What is left of a call that has ended. */
function endOf({ call, permissionId, child, state }: OpenTool): Pick<Part, 'status' | 'body'> | undefined {
  if (state.kind !== 'ended') return undefined
  const { result, begunAt } = state
  const [output, error] = result.status === 'COMPLETED' ? [result.output, null] : [null, result.error]
  return { status: result.status, body: { kind: 'tool', ...call, permissionId, begunAt, child, output, error } }
}
