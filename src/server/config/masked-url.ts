/** A URL, or anything else, without the password in it. */
export function maskedUrl(text: string): string {
  const url = URL.parse(text)
  if (!url || (url.password === '' && url.searchParams.get('password') === null)) return text
  if (url.password !== '') url.password = '***'
  if (url.searchParams.has('password')) url.searchParams.set('password', '***')
  return url.href
}
