import { type ExecutionArgs, GraphQLError } from 'graphql'
import type { Plugin } from 'graphql-yoga'

const STREAM = 'text/event-stream'
const ANSWERS = ['application/graphql-response+json', 'application/json', STREAM]

/**
 * Executes nothing that is asked for over HTTP in a form in which it cannot be answered. The engine looks at the
 * `Accept` header only when it has a result: by then a mutation has been executed, and nobody ends a subscription.
 */
export const acceptable: Plugin = {
  onExecute({ args, setResultAndStopExecution }) {
    if (!isAcceptable(args, ANSWERS)) setResultAndStopExecution(refused(`Answers are ${ANSWERS.join(' or ')}.`))
  },
  onSubscribe({ args, setResultAndStopExecution }) {
    if (isAcceptable(args, [STREAM])) return
    setResultAndStopExecution(refused(`Over HTTP the answer to a subscription is ${STREAM}.`))
  },
}

/** Operations that come over WebSocket have no request. */
function isAcceptable({ contextValue }: ExecutionArgs, types: readonly string[]): boolean {
  const { request } = contextValue as { readonly request?: Request }
  if (!request) return true
  const accepted = mediaTypesOf(request.headers.get('accept') || '*/*')
  return accepted.some((media) => types.some((type) => covers(media, type)))
}

/** As the engine reads them: an answer in another charset than UTF-8 cannot be had. */
const mediaTypesOf = (accept: string): readonly string[] =>
  accept
    .replaceAll(/\s/g, '')
    .toLowerCase()
    .split(',')
    .map((range) => range.split(';'))
    .filter(([, ...parameters]) => (parameters.find((it) => it.includes('charset=')) ?? UTF_8) === UTF_8)
    .map(([media = '']) => media)

const UTF_8 = 'charset=utf-8'

function covers(media: string, type: string): boolean {
  const [group, kind] = media.split('/')
  const [ownGroup, ownKind] = type.split('/')
  return (group === '*' || group === ownGroup) && (kind === '*' || kind === ownKind)
}

const refused = (message: string) => ({
  errors: [new GraphQLError(message, { extensions: { code: 'NOT_ACCEPTABLE', http: { spec: true, status: 406 } } })],
})
