import type { ScopeKey, SessionKey } from '../../kernel/ids.ts'
import type { TitleGram as TitleGramModel } from './generated/sqlite/client.ts'
import type { ColumnsOf, RowOf } from './table.ts'
import { titleGrams } from './title-grams.ts'

export const titleGramColumns: ColumnsOf<TitleGramModel> = {
  sessionKey: 'bigint',
  gram: 'bigint',
  shared: 'integer',
  scopeKey: 'bigint',
}

export interface Titled {
  readonly key: SessionKey
  readonly scopeKey: ScopeKey
  readonly title: string | null
}

/** What a session is found by; nothing without a title. */
export const titleGramRows = ({ key, scopeKey, title }: Titled): readonly RowOf<TitleGramModel>[] =>
  titleGrams(title ?? '').map(({ gram, shared }) => ({ sessionKey: key, gram, shared, scopeKey }))
