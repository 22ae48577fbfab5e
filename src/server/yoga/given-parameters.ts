import type { Plugin } from 'graphql-yoga'
import type { Principal } from '../../domain/access/principal.ts'

/** What the transport has read of a request already. */
export interface Given {
  readonly parameters: unknown
  readonly principal: Principal
}

/** Takes the parameters of an operation from the transport, which has read them under its own rules. */
export const givenParameters: Plugin<object, Given> = {
  onRequestParse({ serverContext, setRequestParser }) {
    setRequestParser(() => serverContext.parameters as never)
  },
}
