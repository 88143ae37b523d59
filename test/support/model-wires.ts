import { anthropicWire } from "./model-wire-anthropic.ts";
import { chatWire } from "./model-wire-chat.ts";
import { geminiWire } from "./model-wire-gemini.ts";
import { openaiWire } from "./model-wire-openai.ts";
import type { Wire } from "./model-wire.ts";

export const wires: readonly Wire[] = [anthropicWire, openaiWire, geminiWire, chatWire];
