/** New ids. Unguessable and unique over all processes. */
export interface Ids {
  uuid(): string
}
