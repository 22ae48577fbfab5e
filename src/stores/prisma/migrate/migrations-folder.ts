import { existsSync } from 'node:fs'
import path from 'node:path'

export type Provider = 'sqlite' | 'postgresql'

/**
 * The folder with the checked-in migrations for a database: `prisma/migrations/<provider>` of this package. It is looked
 * for in the folders above this file, as those differ between the sources and a build.
 */
export function migrationsFolder(provider: Provider): string {
  for (let folder = import.meta.dirname; ; folder = path.dirname(folder)) {
    const candidate = path.join(folder, 'prisma', 'migrations', provider)
    if (existsSync(candidate)) return candidate
    if (folder === path.dirname(folder)) throw new Error(`prisma/migrations/${provider} is missing from the package`)
  }
}
