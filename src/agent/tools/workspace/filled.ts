import type { FileHandle } from 'node:fs/promises'

/** Bytes of a file from a position on, fewer than asked for only at its end. */
export async function filled(
  file: FileHandle,
  { start, length }: { readonly start: number; readonly length: number },
): Promise<Buffer> {
  const { size } = await file.stat()
  const buffer = Buffer.alloc(Math.max(0, Math.min(length, size - start)))
  let end = 0
  while (end < buffer.length) {
    const { bytesRead } = await file.read(buffer, end, buffer.length - end, start + end)
    if (bytesRead === 0) break
    end += bytesRead
  }
  return buffer.subarray(0, end)
}
