/** Lower case in a way that does not depend on the language, or on the database. */
export const asciiLower = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
