type Given<T> = { [Key in keyof T as undefined extends T[Key] ? never : null extends T[Key] ? never : Key]: T[Key] } & {
  [Key in keyof T as undefined extends T[Key] ? Key : null extends T[Key] ? Key : never]?: NonNullable<T[Key]>
}

/** The fields of an input that say something: for GraphQL, null and absent are the same. */
export function given<T extends object>(input: T): Given<T> {
  return Object.fromEntries(
    Object.entries(input).filter(([, value]) => value !== null && value !== undefined),
  ) as Given<T>
}
