import { ToolError } from "../../base/errors.ts";
import type { PrivatePorts } from "../../base/private-ports.ts";
import type { CallOptions, Witnessed } from "../../platform/backend.ts";
import type { Browsers, Page, PageInfo, PageName } from "../../platform/browser.ts";
import type { Rules } from "../../policy/rules.ts";
import { needSwitch } from "../../policy/browser-switches.ts";
import { needUrl } from "../../policy/urls.ts";
import { ruleAgainstTitle } from "../../policy/windows.ts";
import { ruleAgainstAddress, type PageRules } from "./addresses.ts";
import { noticeDevTools } from "./devtools-port.ts";

/** Browsers of which some pages may be neither seen nor used. */
export interface GuardedBrowsers extends Browsers {
  /** Takes a page that nobody may see elsewhere, and reveals nothing of it; undefined if it may be seen. */
  leave(id: string | undefined, url: string, options: LeaveOptions): Promise<Left | undefined>;
}

/** A page that was left, and what may be known of that. */
export interface Left {
  readonly id: string;
  readonly witnessed: Witnessed;
}

interface LeaveOptions extends CallOptions {
  /** How long to wait for the document. */
  readonly timeoutMs: number;
}

/** The same browsers, without the pages that the rules block by title or address. */
export function guardBrowsers(browsers: Browsers, given: Rules, ports: PrivatePorts): GuardedBrowsers {
  const rules = { ...given, ports };
  // Must come before attaching: the page on which a person answers would stop working.
  const needReachable = (of: PageName): void => {
    const known = browsers.known(of);
    if (known && ports.find(known.url) !== undefined) needUrl(known.url, rules);
  };
  // Errors from the browsers contain only page ids; this adds the title and address, if they may be shown.
  const naming = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      if (!(error instanceof ToolError) || error.details.candidates === undefined) throw error;
      const candidates = error.details.candidates.map((id) => {
        const known = browsers.known({ id });
        if (!known) return id;
        const { title, url } = hide(known, rules);
        return `${id} ${title} ${url}`;
      });
      throw new ToolError(error.code, error.message, { ...error.details, candidates });
    }
  };
  const needOpen = async (page: Page, options: { readonly signal?: AbortSignal | undefined }): Promise<Page> => {
    const info = await page.info(options);
    await noticeDevTools(info.url, ports);
    const refusal = refusalOf(info, rules);
    if (refusal) throw refusal;
    return page;
  };
  return {
    connect: async (endpoint, options) => {
      const info = await browsers.connect(endpoint, options);
      return { ...info, pages: info.pages.map((page) => hide(page, rules)) };
    },
    find: (executable) => browsers.find(executable),
    async launch(request, options) {
      if (request.url !== undefined) needUrl(request.url, rules);
      const args = await Promise.all(request.args.map((argument) => needSwitch(argument, rules)));
      const info = await browsers.launch({ ...request, args }, options);
      return { ...info, pages: info.pages.map((page) => hide(page, rules)) };
    },
    disconnect: (id) => browsers.disconnect(id),
    quit: (id, options) => browsers.quit(id, options),
    pages: async (options) => (await browsers.pages(options)).map((page) => hide(page, rules)),
    async page(id, options) {
      needReachable({ id });
      return needOpen(await naming(browsers.page(id, options)), options);
    },
    async pageOf(ref, options) {
      needReachable({ ref });
      return needOpen(await naming(browsers.pageOf(ref, options)), options);
    },
    target: (of) => browsers.target(of),
    known: (of) => {
      const page = browsers.known(of);
      return page && { ...hide(page, rules), isOurs: page.isOurs };
    },
    areOurs: () => browsers.areOurs(),
    async select(id, options) {
      needReachable({ id });
      await needOpen(await naming(browsers.page(id, options)), options);
      return hide(await naming(browsers.select(id, options)), rules);
    },
    async open(url, browser, options) {
      needUrl(url, rules);
      return naming(browsers.open(url, browser, options));
    },
    close: (id, options) => browsers.close(id, options),
    async leave(id, url, options) {
      needUrl(url, rules);
      needReachable({ id });
      const page = await naming(browsers.page(id, options));
      const info = await page.info(options);
      await noticeDevTools(info.url, ports);
      needReachable({ id: page.id });
      return refusalOf(info, rules) && leaveBlocked(page, url, options);
    },
    [Symbol.asyncDispose]: () => browsers[Symbol.asyncDispose](),
  };
}

/** The answer says only where the page is now: what it was, and what went wrong on it, stays hidden. */
async function leaveBlocked(page: Page, to: string, { timeoutMs, signal }: LeaveOptions): Promise<Left | undefined> {
  const { id, backend } = page;
  if (page.dialog()) throw waitsAtDialog(id);
  const options = { settleMs: 0, signal };
  const seen = await backend.page?.perform({ name: "navigate", to: { url: to }, timeoutMs }, options);
  if (!seen) return undefined;
  if (seen.dialog) {
    await backend.page?.perform({ name: "dialog", accept: false }, options);
    throw waitsAtDialog(id);
  }
  const { url, title, ...known } = seen;
  return {
    id,
    witnessed: {
      ...known,
      trouble: undefined,
      ...(url ? { url: { from: hidden.url, to: url.to } } : {}),
      ...(title ? { title: { from: hidden.title, to: title.to } } : {}),
    },
  };
}

const waitsAtDialog = (id: string): ToolError =>
  new ToolError("not_dispatchable", `Page ${id} is blocked, and a dialog keeps it from being left.`, {
    hint: "Only a person can answer it. Work in another page: cdp_new_page opens one.",
  });

const hidden = { title: "[blocked]", url: "about:blocked" } as const;

function hide(page: PageInfo, rules: PageRules): PageInfo {
  return refusalOf(page, rules) ? { ...page, ...hidden } : page;
}

/** Names neither the title nor the address: whoever asks may not know them. */
function refusalOf({ id, title, url, blockedBy }: PageInfo, rules: PageRules): ToolError | undefined {
  const rule = blockedBy ?? ruleAgainstTitle(title, rules) ?? ruleAgainstAddress(url, rules);
  if (rule === undefined) return undefined;
  return new ToolError("denied", `Page ${id} is blocked by ${rule}.`, {
    hint: "It can be neither seen nor used; cdp_navigate {url} leaves it. Only a person can change that, in the rule file (--rules).",
  });
}
