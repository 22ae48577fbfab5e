import { expect } from 'vitest'
import { contractSuite } from '../support/contract-suite.ts'
import { insertRequest, requestOf } from '../support/rows.ts'
import { failureOf, newScope } from '../support/world.ts'

export const requestsSuite = contractSuite('requests', (test) => {
  test('C25: a request is found by scope, owner and id, and by nothing else', async (world) => {
    const { stores, scope, commit, create } = world
    const [session, other] = [await create(), await create()]
    const requests = [
      requestOf(session, 'same', { result: 'of the session' }),
      requestOf(other, 'same', { result: 'of the other session' }),
      requestOf(session, 'same', { owner: 0, result: 'of the scope' }),
      requestOf(session, 'SAME', { result: 'another id' }),
    ]
    await commit({ rows: requests.map(insertRequest) })
    for (const request of requests) {
      expect(await stores.requests.find(scope.key, request.owner, request.clientRequestId)).toEqual(request)
    }
    const elsewhere = await newScope(stores)
    expect(await stores.requests.find(elsewhere.key, 0, 'same')).toBeUndefined()
    expect(await stores.requests.find(scope.key, session.key, 'Same')).toBeUndefined()
  })

  test('C25, C4: a request is remembered once', async ({ stores, scope, commit, create }) => {
    const session = await create()
    await commit({ rows: [insertRequest(requestOf(session, 'one'))] })
    const again = commit({ rows: [insertRequest(requestOf(session, 'one', { digest: 'd2', result: 'r2' }))] })
    expect(await failureOf(again)).toBe('conflict')
    expect(await stores.requests.find(scope.key, session.key, 'one')).toEqual(requestOf(session, 'one'))
  })

  test('C25: old requests are forgotten in limited steps, and may then be remembered anew', async (world) => {
    const { stores, scope, commit, create } = world
    const session = await create()
    // Older than what any other test remembers.
    const ages = [1, 2, 3, 4, 5, 6]
    await commit({ rows: ages.map((createdAt) => insertRequest(requestOf(session, `at ${createdAt}`, { createdAt }))) })
    const left = async () => {
      const found = await Promise.all(ages.map((age) => stores.requests.find(scope.key, session.key, `at ${age}`)))
      return found.flatMap((request) => request?.createdAt ?? [])
    }
    expect(await stores.requests.forget(1, 10)).toBe(0)
    expect(await stores.requests.forget(6, 2)).toBe(2)
    expect(await left()).toHaveLength(4)
    expect(await stores.requests.forget(6, 2)).toBe(2)
    expect(await stores.requests.forget(6, 2)).toBe(1)
    expect(await stores.requests.forget(6, 2)).toBe(0)
    expect(await left()).toEqual([6])
    await commit({ rows: [insertRequest(requestOf(session, 'at 1', { result: 'anew' }))] })
    expect(await stores.requests.find(scope.key, session.key, 'at 1')).toMatchObject({ result: 'anew' })
    expect(await stores.requests.forget(7, 10)).toBe(1)
  })
})
