/** How a column is written. `document` is text made by our codec, so it needs no check. */
export type ColumnType = 'bigint' | 'integer' | 'boolean' | 'text' | 'document'

export type Columns<Name extends string = string> = Readonly<Record<Name, ColumnType>>

/** The types of all columns of a model: forgetting one, or taking a wrong one, does not compile. */
export type ColumnsOf<Model> = { readonly [Name in keyof Model]: ColumnTypeOf<NonNullable<Model[Name]>> }

type ColumnTypeOf<Value> = Value extends bigint
  ? 'bigint'
  : Value extends number
    ? 'integer'
    : Value extends boolean
      ? 'boolean'
      : 'text' | 'document'

/** A row of a model on its way into the database, with numbers where the model has bigints. */
export type RowOf<Model> = { readonly [Name in keyof Model]: WrittenAs<Model[Name]> }

type WrittenAs<Value> = Value extends bigint ? number : Value

/** Everything that bulk statements need to know of a table. */
export interface Table<Name extends string = string> {
  readonly name: string
  readonly columns: Columns<Name>
  readonly key: readonly Name[]
  /** What an update replaces. */
  readonly mutable: readonly Name[]
}

/** The columns with these names. */
export function pick<Name extends string, Picked extends Name>(
  columns: Columns<Name>,
  picked: readonly Picked[],
): Columns<Picked> {
  return Object.fromEntries(picked.map((name) => [name, columns[name]])) as Columns<Picked>
}

/** The columns without these. */
export function omit<Name extends string, Omitted extends Name>(
  columns: Columns<Name>,
  omitted: readonly Omitted[],
): Columns<Exclude<Name, Omitted>> {
  const without: ReadonlySet<string> = new Set(omitted)
  return Object.fromEntries(Object.entries(columns).filter(([name]) => !without.has(name))) as Columns<
    Exclude<Name, Omitted>
  >
}

export const namesOf = <Name extends string>(columns: Columns<Name>): readonly Name[] => Object.keys(columns) as Name[]
