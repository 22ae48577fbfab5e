import fc from 'fast-check'

const unit = (min: number, max: number) => fc.integer({ min, max }).map((code) => String.fromCharCode(code))
const astral = fc.integer({ min: 0x10000, max: 0x10ffff }).map((code) => String.fromCodePoint(code))
const surrogates = [unit(0xd800, 0xdbff), unit(0xdc00, 0xdfff)]

/** Any string that JavaScript can hold: code points of every length, surrogates with and without their other halves. */
export const anyText: fc.Arbitrary<string> = fc
  .array(fc.oneof(unit(0, 0x7f), unit(0x80, 0x7ff), unit(0x800, 0xffff), astral, ...surrogates), { maxLength: 24 })
  .map((pieces) => pieces.join(''))
