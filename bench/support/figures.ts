const DIGITS = 3

const rounded = (value: number): string =>
  value.toLocaleString('en-US', { maximumSignificantDigits: DIGITS, useGrouping: true })

export const milliseconds = (value: number): string => `${rounded(value)} ms`

export const perSecond = (value: number): string => `${rounded(value)}/s`

export const microseconds = (value: number): string => `${rounded(value)} µs`

export const megabytes = (bytes: number): string => `${rounded(bytes / 1024 / 1024)} MB`

export const ratio = (value: number, baseline: number): string => `${rounded(value / baseline)} ×`
