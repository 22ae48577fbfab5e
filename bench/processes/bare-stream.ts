/** The SDK behind a bare HTTP server, which streams what it gets. */
import { streamText } from 'ai'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerParent } from '../support/answer-parent.ts'
import { fakeModel } from '../support/fake-model.ts'

const model = fakeModel()

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = Buffer.concat(await request.toArray()).toString()
  const { text } = JSON.parse(body) as { readonly text: string }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for await (const delta of streamText({ model, prompt: text }).textStream) {
    response.write(`data: ${JSON.stringify({ delta })}\n\n`)
  }
  response.end()
}

const server = createServer((request, response) => {
  answer(request, response).catch((error: unknown) => response.destroy(new Error('It failed.', { cause: error })))
})
server.listen(0, '127.0.0.1', () => {
  answerParent(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, {})
})
