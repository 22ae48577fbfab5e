import { Visitor } from '@swc/core/Visitor.js'

/**
 * Who may import whom. Every edge counts, `import type` included: a layer that needs another one's types depends on it.
 * `test/scripts/dependency-rules.test.ts` breaks each rule on purpose.
 */

/** What a layer may import from `src/`, beside itself. `server` knows them all. */
const layers = {
  kernel: [],
  domain: ['kernel'],
  ports: ['kernel', 'domain'],
  runtime: ['kernel', 'domain', 'ports'],
  agent: ['kernel', 'domain', 'ports'],
  stores: ['kernel', 'domain', 'ports'],
  events: ['kernel', 'domain', 'ports'],
  graphql: ['kernel', 'domain', 'ports', 'runtime'],
}

/** Layers without packages, and the built-in modules that do no I/O and that each may use. */
const closedLayers = {
  kernel: ['crypto'],
  domain: [],
  ports: [],
  runtime: ['async_hooks', 'crypto', 'events', 'perf_hooks', 'timers', 'timers/promises', 'util'],
  events: ['events', 'util'],
}

/** Packages that only some folders of `src/` know. */
const reservedPackages = [
  { name: 'ai', packages: ['ai', '@ai-sdk/*'], folders: ['agent'] },
  { name: 'prisma', packages: ['@prisma/*', 'pg'], builtins: ['sqlite'], folders: ['stores/prisma'] },
  { name: 'pothos', packages: ['@pothos/*', 'graphql-scalars', 'dataloader'], folders: ['graphql'] },
  { name: 'graphql', packages: ['graphql', 'graphql-yoga', 'graphql-ws'], folders: ['graphql', 'server'] },
  { name: 'server', packages: ['ws', 'pino', '@graphql-yoga/*'], folders: ['server'] },
]

const anyOf = (patterns) => `(?:${patterns.join('|')})`
const inFolders = (folders) => `^src/${anyOf(folders)}/`
const builtin = (names) => `^(?:node:)?${anyOf(names)}$`
const packageNamed = (names) => {
  const name = anyOf(names.map((it) => (it.endsWith('/*') ? it.slice(0, -1) : `${it}(?:/|$)`)))
  return [`(?:^|/)node_modules/(?:@types/)?${name}`, `^${name}`]
}

const tests = '[.]test[.]ts$'
const generated = '/generated/'
const library = { path: '^src/', pathNot: [tests, generated] }

const handedOutByTheFacade = [
  '^src/runtime/harness[^/]*(?:/|$)',
  '^src/ports/(?:subscriptions|event-transport)[.]ts$',
  '^src/ports/stores/(?:events|log|messages|queue|runs|scopes|sessions|stores)[.]ts$',
]

const layerRules = Object.entries(layers).map(([layer, allowed]) => ({
  name: `layer-${layer}`,
  comment: `${layer} imports ${allowed.length > 0 ? allowed.join(', ') : 'no other layer'}.`,
  severity: 'error',
  from: { path: inFolders([layer]), pathNot: tests },
  to: { path: '^src/', pathNot: inFolders([layer, ...allowed]) },
}))

const closedRules = Object.entries(closedLayers).map(([layer, builtins]) => ({
  name: `closed-${layer}`,
  comment: `${layer} uses no package and of Node ${builtins.length > 0 ? `only ${builtins.join(', ')}` : 'nothing'}.`,
  severity: 'error',
  from: { path: inFolders([layer]), pathNot: tests },
  to: { pathNot: ['^src/', '^(?:test|scripts|bench)/', ...(builtins.length > 0 ? [builtin(builtins)] : [])] },
}))

const reservedRules = reservedPackages.map(({ name, packages, builtins = [], folders }) => ({
  name: `only-${name}`,
  comment: `${[...packages, ...builtins].join(', ')} only in src/${folders.join(', src/')}.`,
  severity: 'error',
  from: { path: '^src/', pathNot: [inFolders(folders), tests] },
  to: { path: [...packageNamed(packages), ...(builtins.length > 0 ? [builtin(builtins)] : [])] },
}))

// TypeScript 7 has no compiler API for JavaScript, so the imports are read by swc, which sees type imports as well.
// Its visitor is older than `using`: it would stop at the first one.
const { visitStatement } = Visitor.prototype
Visitor.prototype.visitStatement = function visitStatementOrUsing(statement) {
  if (statement.type !== 'UsingDeclaration') return visitStatement.call(this, statement)
  this.visitVariableDeclarators(statement.decls)
  return statement
}

export default {
  forbidden: [
    ...layerRules,
    ...closedRules,
    ...reservedRules,
    {
      name: 'graphql-sees-the-facade',
      comment: 'Of what lies behind the API, graphql knows the harness façade and what it hands out for reading.',
      severity: 'error',
      from: { path: inFolders(['graphql']), pathNot: tests },
      to: { path: inFolders(['runtime', 'ports']), pathNot: handedOutByTheFacade },
    },
    {
      name: 'graphql-knows-types-of-the-facade',
      comment: 'The façade reaches graphql through its context; only types are imported, and the error of a lost cursor.',
      severity: 'error',
      from: { path: inFolders(['graphql']), pathNot: tests },
      to: {
        path: inFolders(['runtime', 'ports']),
        pathNot: '^src/ports/subscriptions[.]ts$',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'graphql-decides-nothing',
      comment: 'graphql shows views, events and refusals; deciding is the business of the runtime.',
      severity: 'error',
      from: { path: inFolders(['graphql']), pathNot: tests },
      to: { path: '^src/domain/.*/(?:commands?|decider?|decide-[^/]+|duties|machine|evolve)[.]ts$' },
    },
    {
      name: 'stores-are-alternatives',
      comment: 'The two families of stores know the ports, not each other.',
      severity: 'error',
      from: { path: '^src/stores/([^/]+)/', pathNot: tests },
      to: { path: '^src/stores/[^/]+/', pathNot: '^src/stores/$1/' },
    },
    {
      name: 'entries-are-not-imported',
      comment: 'The process entry is started, never imported.',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^src/server/main[.]ts$' },
    },
    {
      name: 'index-stays-outside',
      comment: 'src/index.ts is for applications; the library itself imports the file it means.',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^src/index[.]ts$' },
    },
    {
      name: 'no-tests-in-the-library',
      comment: 'What is shipped imports no test, script or benchmark.',
      severity: 'error',
      from: library,
      to: { path: ['^(?:test|scripts|bench)/', tests] },
    },
    {
      name: 'no-dev-dependencies-in-the-library',
      comment: 'What is shipped imports what is installed with it.',
      severity: 'error',
      from: library,
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'no-undeclared-packages',
      comment: 'A package that is imported is in package.json.',
      severity: 'error',
      from: {},
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'no-unresolvable',
      comment: 'Every import leads somewhere.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'no-cycles',
      comment: 'Two files that need each other are one concept, or hide a third.',
      severity: 'error',
      from: { pathNot: generated },
      to: { circular: true },
    },
    {
      name: 'no-orphans',
      comment: 'A file that nobody imports and that imports nobody is dead or forgotten.',
      severity: 'error',
      from: {
        orphan: true,
        pathNot: [tests, generated, '^src/index[.]ts$', '^src/server/main[.]ts$', '^(?:scripts|bench)/'],
      },
      to: {},
    },
  ],
  options: {
    parser: 'swc',
    doNotFollow: { path: ['node_modules', generated] },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.mjs', '.js', '.cjs', '.json', '.d.ts'],
      mainFields: ['module', 'main', 'types'],
    },
    builtInModules: { add: ['sqlite', 'node:sqlite'] },
  },
}
