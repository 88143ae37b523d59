import { anthropicWire } from "./wire-anthropic.ts";
import { chatWire } from "./wire-chat.ts";
import { geminiWire } from "./wire-gemini.ts";
import { openaiWire } from "./wire-openai.ts";
import type { Wire } from "./wire.ts";

export const wires: readonly Wire[] = [anthropicWire, openaiWire, geminiWire, chatWire];
