import { posix } from "node:path";

export interface TextFile {
  /** Relative to the repository, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

const rules: readonly { readonly what: string; readonly pattern: RegExp }[] = [
  { what: "a path of one machine", pattern: /(?<![\w.~$}*-])\/(?:work|root|home|Users)\/[\w.-]+|[A-Z]:\\Users\\/ },
  {
    what: "a package registry",
    pattern: /\b(?:registry|npm|packages?)(?:\.[a-z0-9-]+)+\.(?:org|com|net|io|dev|cn)\b|"resolved":\s*"https?:/i,
  },
];

export function findForbiddenText(files: readonly TextFile[]): string[] {
  return files.flatMap(({ path, text }) =>
    text
      .split("\n")
      .flatMap((line, index) =>
        rules
          .filter(({ pattern }) => pattern.test(line))
          .map(({ what }) => `${path}:${index + 1} names ${what}: ${line.trim().slice(0, 80)}`),
      ),
  );
}

/** Markdown links to a missing file or heading. */
export function findDeadLinks(files: readonly TextFile[], exists: (path: string) => boolean): string[] {
  const pages = new Map(files.map((file) => [file.path, file.text]));
  return files
    .filter(({ path }) => path.endsWith(".md"))
    .flatMap(({ path, text }) =>
      [...withoutCode(text).matchAll(/\[[^\]]*\]\(([^)\s]+)[^)]*\)|<(?:img|a)[^>]+(?:src|href)="([^"]+)"/g)]
        .map((match) => match[1] ?? match[2] ?? "")
        .filter((link) => !/^[a-z]+:/i.test(link))
        .flatMap((link) => {
          const [file = "", anchor] = link.split("#");
          const target = file === "" ? path : posix.normalize(posix.join(posix.dirname(path), file));
          if (!exists(target)) return [`${path} links to ${link}, which does not exist`];
          const page = pages.get(target);
          if (anchor === undefined || page === undefined || headings(page).includes(anchor)) return [];
          return [`${path} links to ${link}, but there is no such heading`];
        }),
    );
}

/** npm scripts that are called in Markdown, workflows or scripts but missing from package.json. */
export function findUnknownScripts(files: readonly TextFile[], scripts: readonly string[]): string[] {
  return files
    .filter(({ path }) => /\.(md|ya?ml|mjs|ts)$|^\.ci\//.test(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/\bnpm run ([a-z][\w:-]*)/g)]
        .map((match) => match[1] ?? "")
        .filter((name) => !scripts.includes(name))
        .map((name) => `${path} says "npm run ${name}", and there is no such script`),
    );
}

const withoutCode = (text: string): string => text.replace(/^```[\s\S]*?^```/gm, "").replace(/`[^`\n]*`/g, "");

/** Anchors as GitHub generates them. */
const headings = (text: string): string[] =>
  [...text.replace(/^```[\s\S]*?^```/gm, "").matchAll(/^#+\s+(.*)$/gm)].map((match) =>
    (match[1] ?? "")
      .trim()
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  );
