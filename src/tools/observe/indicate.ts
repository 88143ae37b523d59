import type { Session } from "../session.ts";

/**
 * Shows, until disposed, that handsight watches what the person at this desktop does. On a private desktop nobody is
 * watched.
 */
export async function indicate(session: Session): Promise<AsyncDisposable> {
  const nothing = { [Symbol.asyncDispose]: async () => {} };
  if (session.isPrivateDesktop === true) return nothing;
  try {
    return await (await session.surface("desktop")).indicator.show();
  } catch (error) {
    session.log.warn("the indicator cannot be shown", error);
    return nothing;
  }
}
