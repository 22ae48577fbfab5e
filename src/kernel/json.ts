import { createHash } from 'node:crypto'

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }
export type JsonObject = { readonly [key: string]: Json }

/** The same text for the same value: keys sorted by code unit, no white space. */
export function canonicalJson(value: Json): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (isList(value)) return `[${value.map(canonicalJson).join(',')}]`
  const fields = Object.keys(value).toSorted().map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] ?? null)}`)
  return `{${fields.join(',')}}`
}

/** SHA-256, in hex, of the canonical text. */
export const digest = (value: Json): string => createHash('sha256').update(canonicalJson(value)).digest('hex')

const isList = (value: Json): value is readonly Json[] => Array.isArray(value)
