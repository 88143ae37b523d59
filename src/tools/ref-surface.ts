import { ToolError } from "../base/errors.ts";
import { looksIn, type LooksIn } from "./expect/expectation.ts";
import { readExpect } from "./expect/field.ts";
import type { Session } from "./session.ts";
import type { AnyTool } from "./tool.ts";

type Input = Readonly<Record<string, unknown>>;

/** Fields of a general tool that take a ref. */
const refFields = ["uid", "to_uid", "within", "root"] as const;

/**
 * Adds the surface that the refs belong to, if the caller named none: a ref of a page or device says where it
 * belongs. This runs before the rules see the call, so they see the surface that is acted on.
 */
export async function onSurfaceOfRef(tool: AnyTool, input: Input, session: Session): Promise<Input> {
  if (typeof input["page_idx"] === "number") return onPageAt(input["page_idx"], input, session);
  if (!("surface" in tool.input.shape) || tool.set === "browser") return input;
  const expected = expectedIn(input);
  const { surface: named = expected.surface } = input;
  if (expected.surface !== undefined && expected.surface !== named) {
    throw new ToolError(
      "invalid_argument",
      `expect is about ${expected.surface}, but the call is for ${String(named)}.`,
      {
        hint: "Name the surface once.",
      },
    );
  }
  if (named !== undefined) return { ...input, surface: named };
  const refs = [...refFields.map((field) => input[field]), expected.uid, expected.within];
  const surface = await ownerOf(
    refs.filter((value) => typeof value === "string"),
    session,
  );
  return surface === undefined ? input : { ...input, surface };
}

function expectedIn(input: Input): LooksIn {
  const given = readExpect(input["expect"]);
  return given === undefined ? {} : looksIn(given);
}

/** The page that has this index now. When a person has answered, another may have it. */
async function onPageAt(index: number, input: Input, session: Session): Promise<Input> {
  try {
    const surface = (await (await session.browsers?.())?.pages({}))?.[index]?.id;
    return surface === undefined ? input : { ...input, surface };
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return input;
  }
}

async function ownerOf(refs: readonly string[], session: Session): Promise<string | undefined> {
  const ofPage = refs.find((ref) => /^d\d+$/.test(ref));
  if (ofPage !== undefined) return (await session.browsers?.())?.known({ ref: ofPage })?.id;
  // Each device numbers its own refs, so a ref means the device that the android tools use by default.
  if (refs.some((ref) => /^n\d+g\d+$/.test(ref))) return (await session.devices?.())?.find(undefined)?.id;
  return undefined;
}
