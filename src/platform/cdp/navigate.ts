import { ToolError } from "../../base/errors.ts";
import type { PageDestination, PageDialog, WitnessOptions, Witnessed } from "../page-acts.ts";
import { never, unseen, witness } from "./witness.ts";
import { DialogOpened } from "./interrupt.ts";
import { foreseen, type AttachedPage } from "./attached-page.ts";
import { CdpError } from "./wire.ts";

type NavigateOptions = WitnessOptions & { readonly timeoutMs: number };

export async function navigate(
  page: AttachedPage,
  to: PageDestination,
  options: NavigateOptions,
): Promise<Witnessed<string>> {
  if (page.ended && page.ended.code !== "process_not_running") throw page.ended;
  if (page.dialog) page.needResponsive();
  const { signal, timeoutMs } = options;
  const before = { ...page.target.info(), navigations: page.navigations, downloads: page.downloads.length };
  let warning: string | undefined;
  let dialog: PageDialog | undefined;
  const started = performance.now();
  try {
    const failed = await start(page, to, options);
    if (failed !== undefined && page.downloads.length === before.downloads) {
      // The browser reports a download a moment after it has abandoned the navigation.
      await new Promise((resolve) => setTimeout(resolve, 50));
      if (page.downloads.length === before.downloads) throw refused("url" in to ? to.url : to.go, failed);
    }
    if (failed === undefined && !(await page.loaded(timeoutMs, signal))) {
      warning = `The page is still loading after ${timeoutMs} ms.`;
    }
  } catch (error) {
    if (error instanceof DialogOpened) dialog = error.dialog;
    else throw foreseen(error, page);
  }
  const document = dialog ? undefined : await page.mainDocument({ signal, timeoutMs: 5_000 }).catch(() => undefined);
  const now =
    (await document?.call("place", [], { signal, timeoutMs: 5_000 }).catch(() => undefined)) ?? page.target.info();
  return {
    ...unseen,
    isWatched: true,
    value: now.url,
    via: "navigation",
    hasLeft: page.navigations > before.navigations || now.url !== before.url,
    ...(now.url === before.url ? {} : { url: { from: before.url, to: now.url } }),
    ...(now.title === before.title ? {} : { title: { from: before.title, to: now.title } }),
    dialog,
    downloads: await page.downloadsSince(before.downloads, { signal }),
    trouble: page.troubles.take(),
    settleMs: Math.round(performance.now() - started),
    warning,
  };
}

/** Resolves with the reason if the browser did not go there. */
async function start(
  page: AttachedPage,
  to: PageDestination,
  { signal, timeoutMs }: NavigateOptions,
): Promise<string | undefined> {
  const options = { signal, timeoutMs };
  if ("url" in to) {
    const { errorText, loaderId } = await page.interrupts.race(
      page.session.send("Page.navigate", { url: withScheme(to.url) }, options),
    );
    // Without a loader it was a jump within the document.
    if (loaderId !== undefined && errorText === undefined) page.expectLoad(loaderId);
    return errorText;
  }
  if (to.go === "reload") {
    page.isLoading = true;
    await page.interrupts.race(page.session.send("Page.reload", {}, options));
    return undefined;
  }
  const { currentIndex, entries } = await page.session.send("Page.getNavigationHistory", undefined, options);
  const entry = entries[currentIndex + (to.go === "back" ? -1 : 1)];
  if (!entry) {
    throw new ToolError("not_found", `There is nothing to go ${to.go} to.`, { hint: "Give a url instead." });
  }
  const current = entries[currentIndex];
  const staysHere = current !== undefined && stripHash(current.url) === stripHash(entry.url);
  if (!staysHere) page.isLoading = true;
  await page.interrupts.race(page.session.send("Page.navigateToHistoryEntry", { entryId: entry.id }, options));
  return undefined;
}

const stripHash = (url: string): string => url.split("#")[0] ?? url;
const withScheme = (url: string): string =>
  /^[a-z][a-z0-9+.-]*:/i.test(url) && !/^[\w.-]+:\d+(\/|$)/.test(url) ? url : `http://${url}`;

function refused(what: string, reason: string): ToolError {
  const hints: readonly (readonly [RegExp, string])[] = [
    [/NAME_NOT_RESOLVED/, "There is no such host; check the address."],
    [/CONNECTION_REFUSED/, "Nothing listens there; is the server running?"],
    [/INTERNET_DISCONNECTED|NETWORK_CHANGED/, "The machine has no network."],
    [/CERT/, "The certificate is not trusted."],
    [/ABORTED/, "The page or the server cancelled it."],
  ];
  return new ToolError("not_found", `${what} could not be opened: ${reason}.`, {
    hint: hints.find(([pattern]) => pattern.test(reason))?.[1] ?? "Check the address.",
  });
}

export async function handleDialog(
  page: AttachedPage,
  accept: boolean,
  text: string | undefined,
  options: WitnessOptions,
): Promise<Witnessed<PageDialog>> {
  if (page.ended) throw page.ended;
  const { dialog, dialogSession } = page;
  if (!dialog || !dialogSession) {
    throw new ToolError("not_found", `No dialog is open on ${page.target.id}.`, {
      hint: "Dialogs are reported by the call that opens them.",
    });
  }
  const rule = page.dialogRule;
  if (rule !== undefined && accept) {
    throw new ToolError("denied", `The dialog belongs to a frame that is blocked by ${rule}.`, {
      hint: "It can only be dismissed.",
    });
  }
  page.forgetDialog();
  if (dialog.type === "beforeunload" && !accept) page.stay();
  // What a person gets by pressing OK.
  const promptText = text ?? (dialog.type === "prompt" ? dialog.defaultPrompt : undefined);
  try {
    await page.interrupts.race(
      dialogSession.send(
        "Page.handleJavaScriptDialog",
        { accept, ...(promptText === undefined ? {} : { promptText }) },
        { signal: options.signal, timeoutMs: 5_000 },
      ),
    );
  } catch (error) {
    // The next dialog may open before the end of this one is reported.
    if (!(error instanceof DialogOpened) && !(error instanceof CdpError)) throw error;
  }
  const expected = { focus: never, scroll: false, quietMs: 20, mayBeQuiet: true };
  if (page.dialog) return nothingMore(page, dialog);
  const effect = await witness(page, undefined, expected, options, async () => ({
    value: dialog,
    via: "dialog",
  })).catch((error: unknown) => {
    if (page.dialog) return nothingMore(page, dialog);
    throw error;
  });
  return { ...effect, value: dialog, isTold: true };
}

const nothingMore = (page: AttachedPage, dialog: PageDialog): Witnessed<PageDialog> => ({
  ...unseen,
  value: dialog,
  via: "dialog",
  isTold: true,
  dialog: page.dialog,
});
