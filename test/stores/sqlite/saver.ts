// Saves for ever, `saver.ts FILE`: a compare-and-set of the run and three events in one transaction.
// It prints each revision once that is acknowledged.
import { writeSync } from 'node:fs'
import { openClient } from './open-client.ts'

const prisma = await openClient(process.argv[2] ?? '')
const run = await prisma.run.upsert({ where: { id: 'r' }, create: { id: 'r', rev: 0, body: {} }, update: {} })
for (let rev = run.rev + 1; ; rev++) {
  const [{ count }] = await prisma.$transaction([
    prisma.run.updateMany({ where: { id: 'r', rev: rev - 1 }, data: { rev, body: { rev } } }),
    prisma.event.createMany({
      data: [0, 1, 2].map((k) => ({ runId: 'r', seq: rev * 3 + k, data: { pad: 'x'.repeat(300) } })),
    }),
  ])
  if (count !== 1) throw new Error('lost the compare-and-set')
  writeSync(1, `${rev}\n`)
}
