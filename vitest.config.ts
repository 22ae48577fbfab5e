import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { ClosingLineReporter } from './test/support/closing-line-reporter.ts'

export default defineConfig({
  // The libraries load graphql's CommonJS build, as Node does; a second copy of it in a test would refuse their types.
  resolve: { alias: [{ find: /^graphql$/, replacement: fileURLToPath(import.meta.resolve('graphql')) }] },
  test: {
    projects: [
      // Pure code: one worker runs file after file without throwing the modules away in between.
      { extends: true, test: { name: 'unit', include: ['src/**/*.test.ts'], pool: 'threads', isolate: false } },
      // Files, sockets, databases and processes: a process per file.
      { extends: true, test: { name: 'system', include: ['test/**/*.test.ts'], pool: 'forks' } },
    ],
    maxWorkers: '100%',
    testTimeout: 30_000,
    hookTimeout: 30_000,
    retry: 0,
    allowOnly: false,
    reporters: ['default', new ClosingLineReporter()],
    coverage: {
      provider: 'v8',
      include: ['src/kernel/**/*.ts', 'src/domain/**/*.ts'],
      exclude: ['src/**/*.test.ts'],
      reporter: [['text', { skipFull: true }]],
      thresholds: { lines: 100, branches: 100, functions: 100, statements: 100 },
    },
  },
})
