import { posix } from "node:path";
import { parseSync, Visitor } from "oxc-parser";

/** A source file; `path` is relative to `src/`, with forward slashes. */
export interface Source {
  readonly path: string;
  readonly text: string;
}

const belowFrontEnds = ["base/", "config/", "policy/", "journal/", "vision/", "platform/", "surface/", "tools/"];
const frontEnds = ["api/", "mcp/", "agent/", "inspector/", "flows/", "fleet/", "tasks/"];

/** What the files of a layer (first folder, or file directly under src) may import: folders end in "/". */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  base: [],
  config: ["base/"],
  policy: ["base/"],
  journal: ["base/"],
  vision: ["base/"],
  platform: ["base/"],
  surface: ["base/", "vision/", "platform/backend.ts"],
  // One folder hides what the rules block, on every surface.
  "surface/guard": [
    "base/",
    "surface/",
    "vision/",
    "policy/",
    "platform/backend.ts",
    "platform/browser.ts",
    "platform/devices.ts",
  ],
  tools: [
    "base/",
    "surface/",
    "policy/",
    "journal/",
    "vision/",
    "platform/backend.ts",
    "platform/browser.ts",
    "platform/devices.ts",
    "platform/asking.ts",
  ],
  api: ["base/", "tools/"],
  flows: ["base/", "tools/", "journal/"],
  // What a person does is no call of a tool: it is seen on the surface itself, through its guard.
  "flows/record": ["base/", "tools/", "surface/", "platform/backend.ts"],
  agent: ["base/", "tools/", "journal/", "surface/view.ts", "platform/desktop-variables.ts"],
  mcp: ["base/", "tools/", "journal/"],
  inspector: ["base/", "tools/", "journal/", "platform/peer.ts"],
  // A model also answers questions from tools, and a call may hand a goal to the loop or steps to their runner; all are
  // loaded on first use.
  app: [
    ...belowFrontEnds,
    "agent/models/",
    "agent/pursue.ts",
    "flows/run-steps.ts",
    "flows/flow-calls.ts",
    "flows/record/demonstrate.ts",
    "flows/save/save-run.ts",
  ],
  fleet: ["base/", "flows/", "app.ts"],
  tasks: ["base/", "config/", "tools/", "agent/", "app.ts", "platform/virtual/"],
  cli: [
    ...frontEnds,
    "app.ts",
    "config/",
    "base/",
    "tools/",
    "journal/",
    "platform/virtual/",
    "platform/asking.ts",
    // A session is named after the display it works on.
    "platform/open.ts",
  ],
  // The entry point of a separate process; it hands vision what vision may not import.
  "text-helper": ["vision/ocr/helper.ts", "platform/native/onnx.ts"],
  main: ["cli/", "base/"],
  // The library over a session of its own.
  open: ["api/", "agent/run.ts", "app.ts", "config/load.ts", "base/", "tools/"],
  index: [...belowFrontEnds, ...frontEnds, "open.ts"],
};

/** The files of tools/ that are not a family of tools. Front ends see only these: a call goes through call.ts. */
const toolsEntrance = [
  "answers",
  "call",
  "caller",
  "describe",
  "lent",
  "listing",
  "registry",
  "schema",
  "session",
  "steps",
  "tool",
].map((name) => `tools/${name}.ts`);
const seesWholeTools = ["tools", "app", "index"];

/** Who may import from the folder of a backend, besides that folder itself. */
const backendGuests: readonly { readonly from: string; readonly to: string }[] = [
  { from: "platform/open.ts", to: "platform/" },
  { from: "platform/virtual/", to: "platform/linux/x11/" },
  // System libraries are not a backend.
  { from: "platform/", to: "platform/native/" },
  { from: "app.ts", to: "platform/native/" },
  { from: "text-helper.ts", to: "platform/native/" },
  // The private desktop is a place to run in, not a backend.
  { from: "app.ts", to: "platform/virtual/" },
  { from: "index.ts", to: "platform/virtual/" },
  { from: "cli/", to: "platform/virtual/" },
  { from: "tasks/", to: "platform/virtual/" },
];

/** Packages that only one part of the tree may use. */
const packageHomes: Readonly<Record<string, readonly string[]>> = {
  koffi: ["platform/native/"],
  sharp: ["vision/"],
  commander: ["cli/"],
  yaml: ["flows/file/"],
  ws: ["platform/cdp/"],
  "@modelcontextprotocol/": ["mcp/"],
};

const platformSwitch = "platform/open.ts";

/** Effects are judged in surface/; a backend reports facts. */
const verdicts: ReadonlySet<unknown> = new Set(["confirmed", "no_change", "unverifiable"]);

/** Members of a backend that act. Tools let the surface perform actions, and never use these. */
const hands: ReadonlySet<unknown> = new Set(["pointer", "keyboard", "touch", "page"]);

/** What only Linux has; use the contract or `platform/open.ts` instead. */
const linuxWords = /\bDISPLAY\b|\/proc\b|\bopenbox\b/;
/** Processes must be identified before any backend starts. */
const knowsLinux = ["platform/", "base/process.ts"];

/** Every violation of the layers in these files, as sentences; finding almost no imports is a violation, too. */
export function findBreaches(files: readonly Source[], fewestImports: number): string[] {
  const read = files.map((file) => ({ ...file, ...readFile(file) }));
  const imports = read.reduce((sum, file) => sum + file.imports.length, 0);
  return [
    ...read.flatMap((file) => [...file.problems, ...file.imports.flatMap((request) => judge(file.path, request))]),
    ...(imports < fewestImports ? [`read only ${imports} imports, expected at least ${fewestImports}`] : []),
  ];
}

function judge(from: string, request: string): string[] {
  if (!request.startsWith(".")) return judgePackage(from, request);
  const to = posix.normalize(posix.join(posix.dirname(from), request));
  const say = (why: string) => [`${from} imports ${to}: ${why}`];
  if (to.startsWith("../")) return to === "../package.json" ? [] : say("outside src");
  const layer = layerOf(from);
  const allowed = mayImport[posix.dirname(from)] ?? mayImport[layer];
  if (allowed === undefined) return say(`"${layer}" is in no layer`);
  if (layer !== layerOf(to) && !isIn(to, allowed)) return say(`${layer} may import ${allowed.join(" ") || "nothing"}`);
  const backend = /^platform\/[^/]+\//.exec(to)?.[0];
  const mayVisit = backendGuests.some((guest) => isIn(from, [guest.from]) && isIn(to, [guest.to]));
  if (backend !== undefined && !from.startsWith(backend) && !mayVisit) {
    return say("a backend is imported by itself and platform/open.ts only");
  }
  if (to.startsWith("tools/") && !seesWholeTools.includes(layer) && !toolsEntrance.includes(to)) {
    return say("tools are entered through tools/call.ts");
  }
  return [];
}

function judgePackage(from: string, request: string): string[] {
  const home = Object.entries(packageHomes).find(([name]) =>
    name.endsWith("/") ? request.startsWith(name) : request === name || request.startsWith(`${name}/`),
  );
  if (home === undefined || isIn(from, home[1])) return [];
  return [`${from} imports ${request}: only below ${home[1].join(" ")}`];
}

const isIn = (path: string, places: readonly string[]): boolean =>
  places.some((place) => (place.endsWith("/") ? path.startsWith(place) : path === place));

const layerOf = (path: string): string => path.split("/")[0]?.replace(/\.ts$/, "") ?? "";

function readFile({ path, text }: Source): { imports: string[]; problems: string[] } {
  const parsed = parseSync(path, text);
  const problems = parsed.errors.map((error) => `${path} cannot be read: ${error.message}`);
  const imports = [
    ...parsed.module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...parsed.module.staticExports.flatMap(({ entries }) =>
      entries.flatMap((entry) => entry.moduleRequest?.value ?? []),
    ),
  ];
  const takeLiteral = (node: { readonly type: string; readonly value?: unknown }, how: string) => {
    if (node.type === "Literal" && typeof node.value === "string") imports.push(node.value);
    else problems.push(`${path} has ${how} of something that is not a plain string, which cannot be checked`);
  };
  const askPlatform = () => {
    if (path !== platformSwitch) problems.push(`${path} asks for the platform; only ${platformSwitch} may`);
  };
  const nameLinux = (words: unknown) => {
    const [word] = (typeof words === "string" && linuxWords.exec(words)) || [];
    if (word !== undefined && !isIn(path, knowsLinux)) problems.push(`${path} knows ${word}; only platform/ may`);
  };
  const isTool = path.startsWith("tools/");
  new Visitor({
    Literal(node) {
      nameLinux("regex" in node ? node.regex.pattern : node.value);
      if (path.startsWith("platform/") && verdicts.has(node.value))
        problems.push(`${path} judges an effect; only surface/ may`);
    },
    TemplateElement: ({ value }) => nameLinux(value.raw),
    Identifier: ({ name }) => nameLinux(name),
    ImportExpression: ({ source }) => takeLiteral(source, "import()"),
    TSImportType: ({ source }) => takeLiteral(source, "a type import"),
    CallExpression: ({ callee, arguments: [first] }) => {
      if (callee.type === "Identifier" && callee.name === "require" && first) takeLiteral(first, "require()");
      const isNeed =
        callee.type === "MemberExpression" && callee.property.type === "Identifier" && callee.property.name === "need";
      if (isTool && isNeed && first?.type === "Literal" && hands.has(first.value))
        problems.push(`${path} takes the ${first.value} itself; the surface performs actions`);
    },
    MemberExpression: ({ object, property }) => {
      const name = property.type === "Identifier" ? property.name : property.type === "Literal" ? property.value : "";
      const of = object.type === "MemberExpression" && object.property.type === "Identifier" ? object.property : object;
      if (isTool && (name === "backend" || name === "hands"))
        problems.push(`${path} reaches through the surface for its ${name}`);
      if (name === "platform" && of.type === "Identifier" && /^(process|os)$/.test(of.name)) askPlatform();
    },
    VariableDeclarator: ({ id, init }) => {
      const isProcess = init?.type === "Identifier" && init.name === "process";
      if (isProcess && id.type === "ObjectPattern" && /\bplatform\b/.test(text.slice(id.start, id.end))) askPlatform();
    },
    ImportDeclaration: ({ source, specifiers }) => {
      const names = specifiers.map((one) =>
        one.type === "ImportSpecifier" && one.imported.type === "Identifier" ? one.imported.name : "",
      );
      if (/^(node:)?(process|os)$/.test(source.value) && names.includes("platform")) askPlatform();
    },
  }).visit(parsed.program);
  return { imports, problems };
}
