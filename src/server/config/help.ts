import { environment } from './environment.ts'

/** What `--help` prints. */
export function help(): string {
  const width = Math.max(...Object.keys(environment.shape).map((name) => name.length))
  const settings = Object.entries(environment.shape).map(([name, setting]) => {
    const fallback = 'defaultValue' in setting.def ? setting.def.defaultValue : ''
    const otherwise = fallback === '' ? '' : ` (${fallback})`
    return `  ${name.padEnd(width)}  ${setting.description ?? ''}${otherwise}.`
  })
  return [
    'flexharness serves an agent harness as a GraphQL API, with GraphiQL on the same address.',
    '',
    'Usage: flexharness [--help] [--print-config]',
    '',
    '  --help          Prints this.',
    '  --print-config  Prints the configuration in effect, with secrets masked.',
    '',
    'Environment (in parentheses: what holds otherwise):',
    ...settings,
  ].join('\n')
}
