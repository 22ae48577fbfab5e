import { type ArgType, type ColumnType, ColumnTypeEnum as Column, DriverAdapterError } from '@prisma/driver-adapter-utils'
import type { SQLInputValue, SQLOutputValue } from 'node:sqlite'
import { isSafeInteger } from './column-type.ts'

/** A value that SQLite has answered, as Prisma expects it in a column of this type. */
export function toPrismaValue(value: SQLOutputValue, type: ColumnType | undefined): unknown {
  if (value === null) return null
  if (type === Column.Boolean) return value !== 0n
  if (type === Column.DateTime) return typeof value === 'string' ? toUtc(value) : new Date(Number(value)).toISOString()
  if (type === Column.Json) return String(value) // SQLite stores the JSON text `5` in a JSONB column as a number
  return typeof value === 'bigint' ? (isSafeInteger(value) ? Number(value) : String(value)) : value
}

/** SQLite's own functions write UTC as `2024-01-31 12:00:00`, which JavaScript would take for local time. */
function toUtc(text: string): string {
  return /^\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d(\.\d+)?)?$/.test(text) ? `${text.replace(' ', 'T')}Z` : text
}

/** A value that Prisma has sent, as SQLite stores it. Throws a `DriverAdapterError` for what it cannot hold. */
export function toSqliteValue(arg: unknown, argType: ArgType | undefined): SQLInputValue {
  const scalarType = argType?.scalarType ?? 'unknown'
  if (arg === null || arg === undefined) return null
  if (typeof arg === 'boolean') return arg ? 1n : 0n
  if (typeof arg === 'bigint' || arg instanceof Uint8Array) return arg
  if (arg instanceof Date) return toTimestamp(arg)
  // node:sqlite binds a number as REAL, and only a BigInt as INTEGER.
  if (typeof arg === 'number') return Number.isSafeInteger(arg) && scalarType !== 'float' ? BigInt(arg) : arg
  if (typeof arg !== 'string') throw invalid(`SQLite cannot store a value of type ${typeof arg}`)
  return fromText(arg, scalarType)
}

function fromText(text: string, scalarType: ArgType['scalarType']): SQLInputValue {
  switch (scalarType) {
    case 'int':
    case 'bigint':
      return BigInt(text)
    case 'float':
      return Number(text)
    case 'decimal':
      return /^-?\d{1,18}$/.test(text) ? BigInt(text) : Number(text)
    case 'datetime':
      return toTimestamp(new Date(text))
    case 'bytes':
      return Buffer.from(text, 'base64')
    default:
      // UTF-8 has no lone surrogates: SQLite would silently store U+FFFD in their place.
      if (!text.isWellFormed()) throw invalid('Text with a lone surrogate cannot be stored')
      return text
  }
}

/** The text that Prisma stores in SQLite by default, so that rows old and new compare. */
function toTimestamp(date: Date): string {
  if (Number.isNaN(date.valueOf())) throw invalid('Invalid date')
  return date.toISOString().replace('Z', '+00:00')
}

function invalid(message: string): DriverAdapterError {
  return new DriverAdapterError({ kind: 'InvalidInputValue', message })
}
