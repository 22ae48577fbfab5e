import { execFileSync, type StdioOptions } from 'node:child_process'

export interface ReleasedSchema {
  readonly commit: string
  readonly sdl: string
}

/**
 * `schema.graphql` as it was before the work at hand: where the branch left `origin/main`, and on that branch itself,
 * or without it, one commit back. Undefined when the history or the file does not go back so far (a first commit,
 * a shallow clone, no git).
 */
export function releasedSchema(directory: string): ReleasedSchema | undefined {
  const head = git(directory, ['rev-parse', '--verify', '--quiet', 'HEAD'])
  const fork = git(directory, ['merge-base', 'HEAD', 'origin/main'])
  const before = fork === undefined || fork === head ? 'HEAD~1' : fork
  const commit = git(directory, ['rev-parse', '--verify', '--quiet', `${before}^{commit}`])
  const sdl = commit === undefined ? undefined : git(directory, ['show', `${commit}:schema.graphql`])
  return commit === undefined || sdl === undefined ? undefined : { commit, sdl }
}

function git(directory: string, command: readonly string[]): string | undefined {
  try {
    const stdio: StdioOptions = ['ignore', 'pipe', 'ignore']
    return execFileSync('git', command, { cwd: directory, encoding: 'utf8', stdio }).trim()
  } catch {
    return undefined
  }
}
