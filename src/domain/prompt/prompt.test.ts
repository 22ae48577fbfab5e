import { expect, test } from 'vitest'
import { digest } from '../../kernel/json.ts'
import { bytesOf, type Prompt, promptJson } from './prompt.ts'

const attachment = { mediaType: 'image/png', filename: 'a.png', url: 'data:image/png;base64,AA==' }
const prompt: Prompt = {
  text: 'look',
  attachments: [attachment],
  options: {
    modelHint: 'a:b',
    system: 'be brief',
    maxSteps: 3,
    budget: { totalTokens: 5, wallClockMs: 6, idleMs: 7 },
  },
}

test('Q2: the bytes of a prompt are those of all of its texts, in UTF-8', () => {
  expect(bytesOf(prompt)).toBe(4 + 9 + 5 + 26 + 8)
  const bare = { ...prompt, text: 'é', attachments: [{ ...attachment, filename: null }], options: { ...prompt.options, system: null } }
  expect(bytesOf(bare)).toBe(2 + 9 + 26)
})

/** Each differs from `prompt` in one field. */
const others: readonly Prompt[] = [
  { ...prompt, text: 'Look' },
  { ...prompt, attachments: [] },
  { ...prompt, attachments: [attachment, attachment] },
  { ...prompt, attachments: [{ ...attachment, mediaType: 'image/gif' }] },
  { ...prompt, attachments: [{ ...attachment, filename: null }] },
  { ...prompt, attachments: [{ ...attachment, url: 'data:image/png;base64,AQ==' }] },
  { ...prompt, options: { ...prompt.options, modelHint: null } },
  { ...prompt, options: { ...prompt.options, system: null } },
  { ...prompt, options: { ...prompt.options, maxSteps: 4 } },
  { ...prompt, options: { ...prompt.options, budget: null } },
  { ...prompt, options: { ...prompt.options, budget: { totalTokens: 6, wallClockMs: 6, idleMs: 7 } } },
  { ...prompt, options: { ...prompt.options, budget: { totalTokens: 5, wallClockMs: 7, idleMs: 7 } } },
  { ...prompt, options: { ...prompt.options, budget: { totalTokens: 5, wallClockMs: 6, idleMs: null } } },
]

test('Q14: prompts are told apart by each of their fields', () => {
  const digests = [prompt, ...others].map((it) => digest(promptJson(it)))
  expect(new Set(digests).size).toBe(1 + others.length)
})

test('Q14: equal prompts have equal digests, however their fields are ordered', () => {
  const { text, attachments, options } = prompt
  const { modelHint, system, maxSteps } = options
  const budget = { idleMs: 7, wallClockMs: 6, totalTokens: 5 }
  const copies = attachments.map((it) => ({ ...it }))
  const same: Prompt = { options: { budget, maxSteps, system, modelHint }, attachments: copies, text }
  expect(digest(promptJson(same))).toBe(digest(promptJson(prompt)))
})
