// A second process that writes: `writer.ts FILE PREFIX COUNT`.
import { openClient } from './open-client.ts'

const [file = '', prefix = '', count = ''] = process.argv.slice(2)
const prisma = await openClient(file)
for (let i = 0; i < Number(count); i++) {
  await prisma.$transaction([prisma.user.create({ data: { email: `${prefix}${i}`, name: 'x' } }), prisma.user.count()])
}
await prisma.$disconnect()
