/** Measures, and prints Markdown tables. `npm run bench -- a c` measures some rows; without a name, all. */
import { parseArgs } from 'node:util'
import { circumstances } from './support/circumstances.ts'
import { markdown, type Report } from './support/report.ts'
import type { Sizes } from './support/sizes.ts'

type Row = (sizes: Sizes) => AsyncIterable<Report>

/** Loaded when they are measured, so that they do not weigh on each other. */
const rows: Readonly<Record<string, () => Promise<Row>>> = {
  a: async () => (await import('./runs.ts')).runs,
  b: async () => (await import('./fan-out.ts')).fanOut,
  c: async () => (await import('./growth.ts')).growth,
  d: async () => (await import('./commits.ts')).commits,
  e: async () => (await import('./start.ts')).start,
  f: async () => (await import('./deletion.ts')).deletion,
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    effort: { type: 'string', default: '1' },
    sessions: { type: 'string', default: '100000' },
    turns: { type: 'string', default: '1' },
  },
})
const sizes = { effort: Number(values.effort), sessions: Number(values.sessions), turns: Number(values.turns) }

console.log(circumstances())
for (const name of positionals.length > 0 ? positionals : Object.keys(rows)) {
  const load = rows[name]
  if (!load) throw new Error(`There is no row ${JSON.stringify(name)}, only ${Object.keys(rows).join(', ')}.`)
  const row = await load()
  for await (const report of row(sizes)) console.log(markdown(report))
}
