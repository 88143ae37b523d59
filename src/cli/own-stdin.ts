let text: Promise<string> | undefined;

/** All of this process's standard input. It can be read only once, so whoever asks again gets the same. */
export const readOwnStdin = (): Promise<string> => (text ??= read());

async function read(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks).toString("utf8");
}
