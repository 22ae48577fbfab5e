import { expect } from 'vitest'
import type { GraphiqlPage } from './graphiql-page.ts'

const within = { timeout: 60_000, interval: 50 }

/** Changes fields of the input that is in the pane of variables. */
export async function edit({ variables, setVariables }: GraphiqlPage, fields: object): Promise<void> {
  await expect.poll(variables, within).toHaveProperty('input')
  const { input } = (await variables()) as { readonly input: object }
  const edited = { input: { ...input, ...fields } }
  await setVariables(edited)
  await expect.poll(variables, within).toEqual(edited)
}
