import { anthropic } from './anthropic.ts'
import { gateway } from './gateway.ts'
import { gemini } from './gemini.ts'
import { openAiChat, openAiCompatible } from './openai-chat.ts'
import { openAiResponses } from './openai-responses.ts'
import type { Wire } from './wire.ts'

export const wires: readonly Wire[] = [openAiCompatible, openAiChat, openAiResponses, anthropic, gemini, gateway]
