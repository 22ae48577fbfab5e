/*
 * Runs in a worker thread of its own: loads the package, hands its texts over as bytes, and ends.
 */
import { parentPort } from 'node:worker_threads'
import { css, editorWorkerService, graphqlWorker, js, jsonWorker } from '@graphql-yoga/render-graphiql/graphiql'

/** The bytes of each file, by its name. */
export type AssetFiles = Readonly<Record<string, Uint8Array<ArrayBuffer>>>

const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)

const files: AssetFiles = {
  'graphiql.js': bytes(js),
  'graphiql.css': bytes(css),
  'editorWorkerService.js': bytes(editorWorkerService),
  'json.js': bytes(jsonWorker),
  'graphql.js': bytes(graphqlWorker),
}

parentPort?.postMessage(files, Object.values(files).map(({ buffer }) => buffer))
