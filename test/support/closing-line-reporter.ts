import { relative } from 'node:path'
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node'

/**
 * Closes a run with what a reader must not miss: every group of skipped tests, and as the very last line
 * `N passed, N failed, N skipped` alone. The line waits for the exit of the process, because the coverage report
 * comes after the end of the run.
 *
 * A module, suite or hook that breaks, an error outside any test and a test without an end each count as failed, so
 * that `0 failed` means that every test that was not skipped has passed.
 */
export class ClosingLineReporter implements Reporter {
  #root = process.cwd()
  #closing = ''

  constructor() {
    process.once('exit', () => process.stdout.write(this.#closing))
  }

  onInit(vitest: Vitest): void {
    this.#root = vitest.config.root
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const count = (state: string): number => tests.filter((test) => test.result().state === state).length
    const failed = count('failed') + count('pending') + brokenGroups(modules) + unhandledErrors.length
    const skips = skippedGroups(tests, this.#root).map((line) => `${line}\n`)
    this.#closing = `\n${skips.join('')}${count('passed')} passed, ${failed} failed, ${count('skipped')} skipped\n`
  }
}

const brokenGroups = (modules: readonly TestModule[]): number =>
  modules
    .flatMap((module) => [module, ...module.children.allSuites()])
    .filter((group) => group.errors().length > 0).length

function skippedGroups(tests: readonly TestCase[], root: string): readonly string[] {
  const groups = new Map<string, number>()
  for (const test of tests) {
    const result = test.result()
    if (result.state !== 'skipped') continue
    const outer = test.fullName.split(' > ').slice(0, -1)
    const place = [relative(root, test.module.moduleId), ...outer].join(' > ')
    const group = result.note === undefined ? place : `${place}: ${result.note}`
    groups.set(group, (groups.get(group) ?? 0) + 1)
  }
  return [...groups].map(([group, count]) => `SKIPPED ${count} in ${group}`)
}
