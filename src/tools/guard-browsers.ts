import { ToolError } from "../base/errors.ts";
import type { Browsers, Page, PageInfo } from "../platform/browser.ts";
import type { Rules } from "../policy/rules.ts";
import { needUrl } from "../policy/urls.ts";
import { ruleAgainstTitle } from "../policy/windows.ts";

/** The same browsers, without the pages that the rules block by their title or address. */
export function guardBrowsers(browsers: Browsers, rules: Rules): Browsers {
  const needOpen = async (page: Page, options: { readonly signal?: AbortSignal | undefined }): Promise<Page> => {
    const refusal = refusalOf(await page.info(options), rules);
    if (refusal) throw refusal;
    return page;
  };
  return {
    connect: async (endpoint, options) => {
      const info = await browsers.connect(endpoint, options);
      return { ...info, pages: info.pages.map((page) => hide(page, rules)) };
    },
    async launch(request, options) {
      if (request.url !== undefined) needUrl(request.url, rules);
      const info = await browsers.launch(request, options);
      return { ...info, pages: info.pages.map((page) => hide(page, rules)) };
    },
    disconnect: (id) => browsers.disconnect(id),
    pages: async (options) => (await browsers.pages(options)).map((page) => hide(page, rules)),
    page: async (id, options) => needOpen(await browsers.page(id, options), options),
    pageOf: async (ref, options) => needOpen(await browsers.pageOf(ref, options), options),
    select: async (id, options) => hide(await browsers.select(id, options), rules),
    async open(url, browser, options) {
      needUrl(url, rules);
      return browsers.open(url, browser, options);
    },
    close: (id, options) => browsers.close(id, options),
    [Symbol.asyncDispose]: () => browsers[Symbol.asyncDispose](),
  };
}

function hide(page: PageInfo, rules: Rules): PageInfo {
  return refusalOf(page, rules) ? { ...page, title: "[blocked]", url: "about:blocked" } : page;
}

/** Pages of the browser itself (a new tab) are no web pages; only the rules that block speak about them. */
function refusalOf({ id, title, url }: PageInfo, rules: Rules): ToolError | undefined {
  const rule = ruleAgainstTitle(title, rules);
  if (rule !== undefined) {
    return new ToolError("denied", `Page ${id} is blocked by ${rule}.`, {
      hint: "It can be neither seen nor used. Only a person can change that, in the rule file (--rules).",
    });
  }
  try {
    const isWeb = /^https?:/i.test(url);
    if (isWeb) needUrl(url, rules);
    else if (URL.canParse(url))
      needUrl(url, { urls: { ...rules.urls, allow: ["*://*", "about:*", "data:*", "blob:*"] } });
    return undefined;
  } catch (error) {
    return error instanceof ToolError ? error : undefined;
  }
}
