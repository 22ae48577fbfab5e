import { expect, test } from 'vitest'
import type { Outcome } from '../../../test/support/content.ts'
import { ContentRows } from '../../../test/support/content-rows.ts'
import type { Walk } from '../../../test/support/content-walks.ts'
import { accepted, bodiesOf, holds, outcomesOf, rowsAfter, upTo } from '../../../test/support/walk-laws.ts'
import { abortOf } from '../run/run.ts'
import type { RespondToPermission } from './commands.ts'
import { statusOf } from './session.ts'

interface Answer {
  readonly command: RespondToPermission
  readonly outcome: Outcome
}

const answersIn = (walk: Walk): readonly Answer[] =>
  walk.flatMap(({ command, outcome }) => (command.type === 'respond' ? [{ command, outcome }] : []))

const waits = ({ before }: Outcome, { permissionId }: RespondToPermission) =>
  before.permissions.find((permission) => permission.permissionId === permissionId)

const isStopping = ({ run }: Outcome['after']): boolean => run === null || abortOf(run) !== null

test('P1: each request is resolved exactly once, at the latest with its run', () => {
  holds((walk) => {
    const { permissions, runs } = rowsAfter(walk)
    const live = new Set([...runs.values()].filter(({ state }) => state.kind !== 'finished').map(({ runId }) => runId))
    const resolved = bodiesOf(outcomesOf(walk)).flatMap((body) =>
      body.type === 'permission.resolved' ? [body.permission] : [],
    )
    for (const { permissionId, state, runId } of permissions.values()) {
      const told = resolved.filter((permission) => permission.permissionId === permissionId)
      expect(told.map((permission) => permission.state)).toEqual(state.kind === 'resolved' ? [state] : [])
      expect(state.kind === 'resolved' || live.has(runId)).toBe(true)
    }
    expect(resolved.length).toBe([...permissions.values()].filter(({ state }) => state.kind === 'resolved').length)
  })
})

test('P2: an answer to a request that does not wait is refused and changes nothing; any other decides it', () => {
  holds((walk) => {
    for (const { command, outcome } of answersIn(walk)) {
      const request = waits(outcome, command)
      const { decision, message, by, at } = command
      const isRefused = !request || (decision === 'ALWAYS' && request.rememberKey === null)
      const row = { ...request, state: { kind: 'resolved', decision, message, by, at } }
      const resolved = { table: 'permission', op: 'update', row }
      expect(outcome.answer).toBe(isRefused ? (request ? 'VALIDATION_FAILED' : 'PERMISSION_STATE') : 'accepted')
      expect(outcome.after === outcome.before).toBe(isRefused)
      expect(outcome.writes.slice(0, 1)).toEqual(isRefused ? [] : [resolved])
    }
  })
})

test('P3: nothing waits for a person while no run is active or the run was asked to stop', () => {
  holds((walk) => {
    const rows = new ContentRows()
    for (const { writes, after } of outcomesOf(walk)) {
      writes.forEach((write) => rows.apply(write))
      const pending = [...rows.permissions.values()].filter(({ state }) => state.kind === 'pending')
      expect(isStopping(after) && pending.length > 0).toBe(false)
      expect(pending.every(({ runId }) => runId === after.run?.runId)).toBe(true)
    }
  })
})

test('P3: what waited when a run was asked to stop, or ended, is cancelled', () => {
  holds((walk) => {
    for (const { command, outcome } of walk) {
      const { before, after, writes } = outcome
      if (!isStopping(after) || before.permissions.length === 0) continue
      const rows = writes.flatMap((write) => (write.table === 'permission' ? [write.row] : []))
      const decisions = rows.map(({ state }) => state.kind === 'resolved' && state.decision)
      const isRejection = command.type === 'respond'
      expect(decisions).toEqual(before.permissions.map((_, i) => (isRejection && i === 0 ? 'REJECT' : 'CANCELLED')))
    }
  })
})

test('P4: a rejection without a message stops the run and no other answer does', () => {
  holds((walk) => {
    for (const { command, outcome } of answersIn(walk).filter(({ outcome: { answer } }) => answer === 'accepted')) {
      const stops = command.decision === 'REJECT' && command.message === null
      const { before, after } = outcome
      expect(after.run && abortOf(after.run)?.kind).toBe(stops ? 'rejected' : undefined)
      const others = before.permissions.filter(({ permissionId }) => permissionId !== command.permissionId)
      expect(after.permissions).toEqual(stops ? [] : others)
    }
  })
})

test('P5: what is granted is what was answered with ALWAYS and not revoked, each key once', () => {
  holds((walk) => {
    const rows = new ContentRows()
    const granted = new Map<string, string>()
    const told: string[] = []
    for (const { command, outcome } of walk) {
      outcome.writes.forEach((write) => rows.apply(write))
      if (command.type === 'respond' && command.decision === 'ALWAYS' && outcome.answer === 'accepted') {
        const key = waits(outcome, command)?.rememberKey ?? 'none'
        if (!granted.has(key)) told.push(`GRANTED ${key}`)
        granted.set(key, granted.get(key) ?? command.permissionId)
      }
      if (command.type === 'revokeGrant') {
        granted.delete(command.grant.rememberKey)
        told.push(`REVOKED ${command.grant.rememberKey}`)
      }
      const stored = [...rows.grants.values()].map(({ rememberKey, permissionId }) => [rememberKey, permissionId] as const)
      expect(new Map(stored)).toEqual(granted)
    }
    const changes = bodiesOf(outcomesOf(walk)).flatMap((body) =>
      body.type === 'grant.changed' ? [`${body.change} ${body.rememberKey}`] : [],
    )
    expect(changes).toEqual(told)
  })
})

test('P6: a session awaits permission exactly while a request waits', () => {
  holds((walk) => {
    for (const { after } of outcomesOf(walk)) {
      expect(statusOf(after.session) === 'AWAITING_PERMISSION').toBe(after.permissions.length > 0)
    }
  })
})

test('P7: a call waits exactly as long as the request that was made for it', () => {
  holds((walk) => {
    const asked = new Map<string, number>()
    for (const { command, outcome } of walk) {
      const { answer, after } = outcome
      if (command.type === 'askPermission' && command.partIndex !== null && answer === 'accepted') {
        asked.set(command.permission.permissionId, command.partIndex)
      }
      const expected = after.permissions.flatMap(({ permissionId }) => {
        const partIndex = asked.get(permissionId)
        return partIndex === undefined ? [] : [[permissionId, partIndex] as const]
      })
      const waiting = after.open.flatMap((part) =>
        part.kind === 'tool' && part.state.kind === 'awaiting' ? [[part.state.permissionId, part.partIndex] as const] : [],
      )
      expect(new Map(waiting)).toEqual(new Map(expected))
    }
  })
})

test('P8: a request that an earlier grant answers asks nobody', () => {
  holds((walk) => {
    for (const { command, outcome } of accepted(walk, 'askPermission')) {
      if (command.type !== 'askPermission' || command.granted !== 'before') continue
      expect(outcome.after.permissions).toEqual(outcome.before.permissions)
      expect(outcome.after.session.work).toEqual(outcome.before.session.work)
      expect(bodiesOf([outcome])).toMatchObject([
        { type: 'permission.resolved', permission: { state: { decision: 'GRANTED_BEFORE', by: null } } },
      ])
    }
  })
})

test('P9: a run that was asked to stop asks nobody', () => {
  holds((walk) => {
    for (const { outcome } of accepted(walk, 'askPermission')) expect(isStopping(outcome.before)).toBe(false)
  })
})

test('P10: the requests of a session are numbered from 0 without gaps', () => {
  holds((walk) => {
    const { permissions } = rowsAfter(walk)
    expect([...permissions.keys()]).toEqual(upTo(walk.at(-1)?.outcome.after.session.next.permission ?? 0))
  })
})
