export type MessageId = string | number;

// Keys and ids are short; of anything longer only the beginning is read.
const longest = 300;

const code = (letter: string): number => letter.charCodeAt(0);
const [quote, backslash, colon, comma] = [code('"'), code("\\"), code(":"), code(",")];
const opening: ReadonlySet<number> = new Set([code("{"), code("[")]);
const closing: ReadonlySet<number> = new Set([code("}"), code("]")]);

/** Finds the id of a JSON-RPC message that is too large to keep, anywhere in it, without storing the message. */
export class IdScanner {
  #depth = 0;
  #isText = false;
  #isEscaped = false;
  #isValue = false;
  #key = "";
  /** The bytes at the outermost level since the last comma or colon. */
  #piece: number[] = [];
  #id: MessageId | undefined;

  get id(): MessageId | undefined {
    return this.#id;
  }

  read(bytes: Uint8Array): void {
    for (const byte of bytes) {
      if (this.#isText) this.#readText(byte);
      else this.#readOther(byte);
    }
  }

  #readText(byte: number): void {
    this.#keep(byte);
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === backslash) this.#isEscaped = true;
    else if (byte === quote) this.#isText = false;
  }

  #readOther(byte: number): void {
    if (byte === quote) this.#isText = true;
    if (closing.has(byte) && --this.#depth === 0) this.#endPiece();
    if (this.#depth === 1 && byte === colon && !this.#isValue) this.#beginValue();
    else if (this.#depth === 1 && byte === comma) this.#endPiece();
    else this.#keep(byte);
    if (opening.has(byte)) {
      this.#depth++;
      if (this.#depth === 1) this.#piece = [];
    }
  }

  #keep(byte: number): void {
    if (this.#depth === 1 && this.#piece.length < longest) this.#piece.push(byte);
  }

  #beginValue(): void {
    this.#key = this.#take();
    this.#isValue = true;
  }

  #endPiece(): void {
    const text = this.#take();
    if (this.#isValue && this.#key === '"id"') this.#id = toId(text);
    this.#isValue = false;
  }

  #take(): string {
    const text = Buffer.from(this.#piece).toString("utf8").trim();
    this.#piece = [];
    return text;
  }
}

function toId(text: string): MessageId | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "string" || typeof value === "number" ? value : undefined;
  } catch {
    return undefined;
  }
}
