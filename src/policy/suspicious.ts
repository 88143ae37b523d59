/**
 * Screen text that reads like orders to an agent. It finds the usual forms, in some languages, but not the clever
 * ones: a match is a reason to ask a person, and no match is no reason for trust.
 */
const shapes: readonly RegExp[] = [
  /\b(?:ignore|disregard|forget|override|bypass)\b[^.!?\n]{0,40}\b(?:previous|prior|above|earlier|all|any|your|the|these|those)\b[^.!?\n]{0,30}\b(?:instructions?|prompts?|rules?|directions?|guidelines?|context|polic(?:y|ies)|constraints?)\b/i,
  /\b(?:new|updated|important|urgent|real|actual)\s+(?:system\s+)?(?:instructions?|directives?|orders?)\s*(?:for|to)?\s*(?:the\s+)?(?:ai|assistant|agent|model|llm|bot)?\s*:/i,
  /\b(?:you are|you're|act as|pretend to be|from now on,? you)\b[^.!?\n]{0,30}\b(?:now|dan|jailbroken|unrestricted|in developer mode|an? (?:ai|agent|assistant) (?:that|with|without))\b/i,
  /\b(?:reveal|print|show|repeat|output|leak)\b[^.!?\n]{0,30}\b(?:system prompt|hidden prompt|your (?:instructions|prompt|rules))\b/i,
  /\b(?:do not|don't|never)\b[^.!?\n]{0,20}\b(?:tell|inform|mention|alert|warn|ask|notify)\b[^.!?\n]{0,30}\b(?:user|human|person|owner|operator)\b/i,
  /\b(?:ai|llm|assistant|agent|chatbot|language model|claude|gpt|gemini|copilot)s?\b\s*[,:][^.!?\n]{0,20}\b(?:please|must|should|you|click|open|run|type|send|delete|visit|download|execute|ignore)\b/i,
  /\b(?:send|post|upload|email|exfiltrate|forward|copy|paste|transmit)\b[^.!?\n]{0,60}\b(?:passwords?|credentials?|api keys?|secrets?|tokens?|private keys?|cookies|clipboard)\b[^.!?\n]{0,40}\b(?:to|at|into|via)\b/i,
  /(?:<\/?(?:system|assistant|instructions?|im_start|im_end|tool_(?:call|result)|function_calls?)\b|<\|(?:im_start|im_end|system|endoftext)|\[\/?INST\]|<<SYS>>|^\s*(?:system|assistant)\s*:\s)/im,
  /\bcurl\b[^\n]{0,200}\|\s*(?:ba|z|da)?sh\b|\brm\s+-rf?\s+[~/]|\bpowershell\b[^\n]{0,80}-enc/i,
  /\b(?:ignorier\w*|vergiss)\b[^.!?\n]{0,40}\b(?:anweisung\w*|regeln|vorgaben)\b/i,
  /\b(?:ignore[zr]?|oublie[zr]?)\b[^.!?\n]{0,40}\b(?:instructions?|consignes|règles)\b[^.!?\n]{0,20}\b(?:précédentes?|antérieures?|ci-dessus)\b/i,
  /\b(?:ignora|olvida|ignore)\b[^.!?\n]{0,40}\b(?:instrucciones|instruções|reglas|regras)\b/i,
  /(?:忽略|无视|無視)[^。！？\n]{0,12}(?:指令|指示|说明|說明|规则|規則)/u,
  /(?:игнорируй|забудь)[^.!?\n]{0,40}(?:инструкци|указани|правил)/iu,
  // Characters of the invisible tag block carry text that a model can read and a person cannot see.
  /[\u{E0020}-\u{E007F}]{4,}/u,
];

const longest = 200;

const most = 3;

/** The first excerpts that look like orders; at most three. */
export function findOrders(texts: Iterable<string>): readonly string[] {
  const found = new Set<string>();
  for (const text of texts) {
    for (const order of ordersIn(text)) found.add(order);
    if (found.size >= most) break;
  }
  return [...found].slice(0, most);
}

// Names and states in answers rarely change from call to call, and neither does the listing of an idle screen.
const looked = new Map<string, readonly string[]>();
const mostLooked = 100;
const longestLooked = 20_000;

function ordersIn(text: string): readonly string[] {
  const known = looked.get(text);
  if (known) return known;
  const found = search(text);
  if (text.length > longestLooked) return found;
  if (looked.size >= mostLooked) looked.clear();
  looked.set(text, found);
  return found;
}

function search(text: string): readonly string[] {
  const plain = text.replaceAll(/[\u200B-\u200F\u2060\uFEFF\u00AD]/g, "").normalize("NFKC");
  const found = new Set<string>();
  for (const shape of shapes) {
    const match = shape.exec(plain);
    if (match) found.add(excerpt(plain, match.index, match[0].length));
    if (found.size >= most) break;
  }
  return [...found];
}

function excerpt(text: string, index: number, length: number): string {
  const from = Math.max(0, index - 20);
  return text
    .slice(from, Math.min(text.length, index + Math.max(length, 60), from + longest))
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim();
}
