import {
  bindMigrationAwareSqlAdapterFactory,
  type SqlDriverAdapter,
  type SqlMigrationAwareDriverAdapterFactory,
} from '@prisma/driver-adapter-utils'
import { SchemaEngine, type SchemaContainer } from '@prisma/schema-engine-wasm'

/** The engine calls it when it panics, which it does instead of failing. */
const panics = { set_message: (message: string): void => console.error(`The schema engine panicked: ${message}`) }
Object.assign(globalThis, { PRISMA_WASM_PANIC_REGISTRY: panics })

/**
 * Runs work with Prisma's schema engine: the one of the `prisma` command, yet in this process and on any adapter.
 * All its connections are closed afterwards.
 */
export async function withSchemaEngine<T>(
  schema: readonly SchemaContainer[],
  factory: SqlMigrationAwareDriverAdapterFactory,
  work: (engine: SchemaEngine) => Promise<T>,
): Promise<T> {
  const connections: SqlDriverAdapter[] = []
  const keep = async (connecting: Promise<SqlDriverAdapter>): Promise<SqlDriverAdapter> => {
    const connection = await connecting
    connections.push(connection)
    return connection
  }
  const bound = bindMigrationAwareSqlAdapterFactory({
    provider: factory.provider,
    adapterName: factory.adapterName,
    connect: () => keep(factory.connect()),
    connectToShadowDb: () => keep(factory.connectToShadowDb()),
  })
  const datamodels = schema.map(({ path, content }): [string, string] => [path, content])
  const engine = await SchemaEngine.new({ datamodels }, () => undefined, bound)
  try {
    return await work(engine)
  } finally {
    engine.free()
    await Promise.all(connections.map((connection) => connection.dispose()))
  }
}
