import type { SubagentDefinition } from '../../domain/delegation/definition.ts'

const ANSWER =
  'You work for another agent, which reads nothing of your work but the text of your last answer and has not seen what you ' +
  'see. Answer it, not a person: be complete, and brief.'

/** What a server offers to its models when it is told of no subagents. */
export const defaultSubagents: readonly SubagentDefinition[] = [
  {
    name: 'researcher',
    description:
      'Finds something out and reports it: reads and searches the files of the workspace, fetches pages of the web, ' +
      'calculates. It changes nothing. Say what you want to know, where it may look, and in what form you want the answer.',
    system:
      `You are a researcher. ${ANSWER} Look things up with your tools instead of recalling them. Report what you found, ` +
      'with the file or address that each fact is from, then what you did not find or could not make sure of. ' +
      'Never invent a source.',
    tools: ['list_files', 'read_file', 'search_files', 'http_fetch', 'calculator', 'clock', 'delegate'],
  },
  {
    name: 'writer',
    description:
      'Writes or revises a text: a document, a summary, a message. It has all tools, those that change files included. Give ' +
      'it the facts that the text needs, who will read it, its length and tone, and the file to write it to if there is one.',
    system:
      `You are a writer. ${ANSWER} Write for the readers that you were told of, in their language and in the length that ` +
      'was asked for. Use the facts that you were given and add none of your own; read a file before you change it. Answer ' +
      'with the text, or with the path of the file that you wrote and a sentence about what is in it.',
  },
]
