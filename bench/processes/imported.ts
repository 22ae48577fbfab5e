/** Loads what a file lists, says so, and stays. */
import { readFileSync } from 'node:fs'

const [, , file = ''] = process.argv
for (const url of JSON.parse(readFileSync(file, 'utf8')) as readonly string[]) await import(url)
console.log('ready')
setInterval(() => undefined, 60_000)
