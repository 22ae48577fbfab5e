import { delegationSaboteurs } from './delegation-saboteurs.ts'
import { instanceSaboteurs } from './instance-saboteurs.ts'
import { permissionSaboteurs } from './permission-saboteurs.ts'
import { readingSaboteurs } from './reading-saboteurs.ts'
import type { Saboteur } from './saboteur.ts'
import { structureSaboteurs } from './structure-saboteurs.ts'
import { writingSaboteurs } from './writing-saboteurs.ts'

export const saboteurs: readonly Saboteur[] = [
  ...writingSaboteurs,
  ...readingSaboteurs,
  ...permissionSaboteurs,
  ...delegationSaboteurs,
  ...structureSaboteurs,
  ...instanceSaboteurs,
]
