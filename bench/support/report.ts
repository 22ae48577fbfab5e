/** What a row of the bench has to say: one table, and what stands above it. */
export interface Report {
  readonly title: string
  /** What is measured and what is not. */
  readonly about: string
  readonly columns: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

/** A report as Markdown. */
export function markdown({ title, about, columns, rows }: Report): string {
  const rule = columns.map((_, i) => (i === 0 ? '---' : '--:'))
  return [`### ${title}`, '', about, '', line(columns), line(rule), ...rows.map(line), ''].join('\n')
}
