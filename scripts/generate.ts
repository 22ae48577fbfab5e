import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFile, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/**
 * Generates the Prisma clients of which the inputs have changed: `node scripts/generate.ts [sqlite|postgresql|test …]`.
 * Runs before everything that imports them, so it says nothing and starts nothing while they are up to date: a hash of
 * all inputs stands next to each client. The two clients of the product share one file of models, which is copied next
 * to each datasource.
 */

interface Client {
  readonly schema: string
  readonly inputs: readonly string[]
  readonly output: string
}

const root = path.join(import.meta.dirname, '..')
const models = 'prisma/models.prisma'
const clients: Readonly<Record<string, Client>> = {
  sqlite: clientOf('sqlite'),
  postgresql: clientOf('postgresql'),
  test: {
    schema: 'test/stores/sqlite/schema.prisma',
    inputs: ['test/stores/sqlite/schema.prisma'],
    output: 'test/stores/sqlite/generated',
  },
}

function clientOf(provider: string): Client {
  const schema = `prisma/${provider}`
  return { schema, inputs: [models, `${schema}/datasource.prisma`], output: `src/stores/prisma/generated/${provider}` }
}

const inRoot = (file: string): string => path.join(root, file)

async function hashOf(client: Client): Promise<string> {
  const files = [...client.inputs, 'prisma.config.ts', 'node_modules/prisma/package.json']
  const contents = await Promise.all(files.map((file) => readFile(inRoot(file))))
  const hash = createHash('sha256')
  for (const content of contents) hash.update(content).update('\0')
  return hash.digest('hex')
}

/** Answers whether there was anything to do. Fails with what Prisma has to say. */
async function generate(client: Client): Promise<boolean> {
  const stamp = inRoot(`${client.output}/.inputs`)
  const [hash, lastHash] = await Promise.all([hashOf(client), readFile(stamp, 'utf8').catch(() => '')])
  if (hash === lastHash) return false
  if (client.inputs.includes(models)) await copyFile(inRoot(models), inRoot(`${client.schema}/models.prisma`))
  const cli = fileURLToPath(import.meta.resolve('prisma/build/index.js'))
  await promisify(execFile)(process.execPath, [cli, 'generate', '--no-hints', '--schema', client.schema], {
    cwd: root,
    env: { ...process.env, CHECKPOINT_DISABLE: '1', PRISMA_HIDE_UPDATE_MESSAGE: '1' },
  })
  await writeFile(stamp, hash)
  return true
}

const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(clients)
const done = await Promise.all(
  names.map(async (name) => {
    const client = clients[name]
    if (!client) throw new Error(`There is no client "${name}", only ${Object.keys(clients).join(', ')}`)
    return (await generate(client)) ? [name] : []
  }),
)
if (done.flat().length > 0) console.log(`Generated Prisma clients: ${done.flat().join(', ')}`)
