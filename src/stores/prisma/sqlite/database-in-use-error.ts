/** Says who has the database, and what to do about it. */
export class DatabaseInUseError extends Error {
  override readonly name = 'DatabaseInUseError'
  readonly code = 'DATABASE_IN_USE'
  readonly file: string
  /** Undefined when the holder has not got around to saying it. */
  readonly pid: number | undefined

  constructor(file: string, pid: number | undefined) {
    const holder = pid === undefined ? 'another process' : `process ${pid}`
    super(`The database ${file} is in use by ${holder}; stop it, or use another file.`)
    this.file = file
    this.pid = pid
  }
}
