import type { ActedRecord, RunRecord, ShotRecord, StepRecord, Verdict } from "../record.ts";
import { Html, html } from "../../base/html.ts";
import { factList, lineList, ReportPictures, type Fact, type PictureAddress } from "../../base/report-parts.ts";
import { style } from "../../base/report-style.ts";

/** One self-contained page: what was seen, decided and done, step by step, and the result. */
export function renderReport(run: RunRecord, steps: readonly StepRecord[], picture: PictureAddress): string {
  const last = run.verdict?.evidence.shot ?? undefined;
  const shots = [...steps.flatMap(({ shot }) => (shot ? [shot] : [])), ...(last ? [last] : [])];
  const pictures = new ReportPictures(
    shots.flatMap(({ file }) => (file === null ? [] : [file])),
    picture,
  );
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta
          http-equiv="Content-Security-Policy"
          content="default-src 'none'; style-src 'unsafe-inline'; img-src data: file: 'self'"
        />
        <title>${run.goal.slice(0, 80)} — handsight</title>
        <style>
          ${new Html(style)}${pictures.style}
        </style>
      </head>
      <body>
        ${header(run, pictures)} ${film(steps, pictures)}
        <main>
          ${steps.map((step, index) => card(step, steps[index + 1]?.shot ?? (index === steps.length - 1 ? last : undefined), pictures))}
          <footer>
            Run ${run.run_id}. Everything read from the screen is shown as text and means nothing to this page. Typed
            text is left out unless its field showed it.
          </footer>
        </main>
      </body>
    </html>`;
  return `${page.text}\n`;
}

function header(run: RunRecord, pictures: ReportPictures): Html {
  const tokens = run.usage.input_tokens + run.usage.output_tokens;
  const facts: readonly Fact[] = [
    ["Model", run.model],
    ["Steps", String(run.steps)],
    ["Time", seconds(run.ms)],
    ["Tokens", tokens === 0 ? "none" : `${count(tokens)} (${count(run.usage.cached_tokens)} cached)`],
    ...(run.cost === null ? [] : [["Cost", run.cost.toFixed(4)] as const]),
    ["Started", new Date(run.started).toISOString().replace("T", " ").slice(0, 19)],
    ...Object.entries(run.where).flatMap(([name, value]) =>
      typeof value === "string" || typeof value === "number" ? [[capital(name), String(value)] as const] : [],
    ),
  ];
  return html`<header>
    <div>
      <div class="brand"><span>handsight agent</span><span>see → decide → act → verify</span></div>
      <h1>${run.goal}</h1>
      ${factList(facts)} ${run.verdict ? verdictBox(run.verdict, pictures) : atWork}
    </div>
  </header>`;
}

const atWork = html`<section class="verdict info">
  <div>
    <span class="pill info">at work</span>
    <p>The agent had not ended when this was written: it is still at work, or it was killed.</p>
  </div>
</section>`;

const tones = { done: "good", stopped: "warn", failed: "bad" } as const;

function verdictBox({ status, reason, message, hint, candidates, evidence }: Verdict, pictures: ReportPictures): Html {
  const sent = evidence.confirmed + evidence.unconfirmed.length;
  return html`<section class="verdict ${tones[status]}">
    <div>
      <span class="pill">${status}${reason === null ? "" : `: ${reason.replaceAll("_", " ")}`}</span>
      <p class="lead">${message}</p>
      ${hint === null ? undefined : html`<p class="quiet">${hint}</p>`}
      ${candidates.length === 0 ? undefined : lineList(candidates)}
      <p class="quiet">
        ${sent === 0 ? "Nothing was sent." : `${evidence.confirmed} of ${sent} actions were seen to work.`}
      </p>
      ${evidence.unconfirmed.length === 0 ? undefined : lineList(evidence.unconfirmed)}
    </div>
    ${evidence.shot ? shotBox(evidence.shot, pictures, [], 210) : undefined}
  </section>`;
}

function film(steps: readonly StepRecord[], pictures: ReportPictures): Html | undefined {
  if (steps.length === 0) return undefined;
  return html`<nav class="film" aria-label="Steps">
    <ol>
      ${steps.map(
        (step) =>
          html`<li>
            <a href="#step-${step.step}" title="${titleOf(step)}">
              <span class="pic ${pictures.classOf(step.shot?.file)}"></span><b>${step.step}</b
              ><i class="${toneOf(step)}"></i>
            </a>
          </li>`,
      )}
    </ol>
  </nav>`;
}

function card(step: StepRecord, after: ShotRecord | null | undefined, pictures: ReportPictures): Html {
  const { timing } = step;
  return html`<section class="step" id="step-${step.step}">
    <div class="top">
      <span class="no">${step.step}</span>
      <div>
        <h2>${titleOf(step)}</h2>
        <p class="quiet">${step.place}</p>
      </div>
      <span class="pill ${toneOf(step)}">${effectOf(step)}</span>
    </div>
    <div class="pair">
      <figure>
        <figcaption><span>Before</span><span class="mono">${whereOf(step)}</span></figcaption>
        <div class="frame">${shotBox(step.shot, pictures, step.actions)}</div>
      </figure>
      <figure>
        <figcaption><span>After</span></figcaption>
        <div class="frame">${shotBox(after, pictures, [])}</div>
      </figure>
    </div>
    <div class="body">
      <div>
        <h3>Done</h3>
        <ul class="acts">
          ${step.actions.map(action)}
        </ul>
        ${step.actions.length === 0 ? html`<p class="quiet">Nothing.</p>` : undefined}
      </div>
      <div>
        <h3>Observed changes</h3>
        ${changes(step)}
      </div>
    </div>
    <div class="time" aria-hidden="true">
      <span class="look" style="flex-grow:${timing.look_ms}"></span>
      <span class="think" style="flex-grow:${timing.decide_ms}"></span>
      <span class="do" style="flex-grow:${timing.act_ms}"></span>
    </div>
    <div class="spent">
      <span><i class="look"></i>look ${timing.look_ms} ms</span>
      <span><i class="think"></i>decide ${timing.decide_ms} ms</span>
      <span><i class="do"></i>act and verify ${timing.act_ms} ms</span>
      <span>${tokensOf(step)}</span>
    </div>
    <details>
      <summary>Question and answer, window, coordinates</summary>
      <div class="raw">
        ${raw("Asked", step.prompt)} ${raw("Answered", step.answer)} ${raw("Window", step.window)}
        ${raw("Actions", step.actions)}
        ${step.repair ? raw("First answer, which could not be used", step.repair) : undefined}
        ${step.outline === "" ? undefined : raw("Shown as text", step.outline)}
      </div>
    </details>
  </section>`;
}

function shotBox(
  shot: ShotRecord | null | undefined,
  pictures: ReportPictures,
  actions: readonly ActedRecord[],
  tallest = 430,
): Html {
  const name = pictures.classOf(shot?.file);
  if (!shot || name === undefined) return html`<div class="absent">No picture</div>`;
  const { width, height } = shot.size;
  // A small window is not enlarged beyond its own size.
  return html`<div
    class="shot"
    style="aspect-ratio:${width}/${height};max-width:min(${width}px, ${Math.round((tallest * width) / height)}px)"
  >
    <span class="pic ${name}" role="img" aria-label="Picture of ${width} by ${height} pixels"></span>
    ${marks(shot, actions)}
  </div>`;
}

/** Marks clicks, and the paths of drags. */
function marks({ size }: ShotRecord, actions: readonly ActedRecord[]): Html | undefined {
  const drawn = actions.filter(({ image }) => image !== null);
  if (drawn.length === 0) return undefined;
  const radius = Math.max(9, Math.max(size.width, size.height) / 45);
  return html`<svg viewBox="0 0 ${size.width} ${size.height}" aria-hidden="true">
    ${drawn.map(({ image, image_end }) => {
      const { x, y } = image ?? { x: 0, y: 0 };
      const end =
        image_end &&
        html`<path class="way" d="M${x} ${y}L${image_end.x} ${image_end.y}" /><circle
            class="dot"
            cx="${image_end.x}"
            cy="${image_end.y}"
            r="${radius / 4}"
          />`;
      return html`${end || undefined}<circle class="ring" cx="${x}" cy="${y}" r="${radius}" /><circle
          class="ring"
          cx="${x}"
          cy="${y}"
          r="${radius}"
        /><circle class="dot" cx="${x}" cy="${y}" r="${radius / 5}" />`;
    })}
  </svg>`;
}

function action({ action: asked, tool, element, effect, error, warning, via, ms }: ActedRecord): Html {
  const kind = String(asked["action"]);
  const what = [
    asked["key"],
    asked["text"] === undefined ? undefined : JSON.stringify(asked["text"]),
    asked["target"],
    asked["direction"],
  ]
    .filter((part) => part !== undefined)
    .map(String)
    .join(" ");
  return html`<li>
    <code>${kind}${what === "" ? "" : ` ${what}`}</code>
    ${element === null ? undefined : html`<span>${element}</span>`}
    <span class="quiet">${[tool, via, `${ms} ms`].filter((part) => part !== null && part !== "").join(" · ")}</span>
    ${error ? html`<span class="error">${error.code}: ${error.message}</span>` : undefined}
    ${warning === null ? undefined : html`<span class="quiet">${warning}</span>`}
    ${error || effect === "none" ? undefined : html`<span class="pill ${effectTones[effect]}">${effect.replace("_", " ")}</span>`}
  </li>`;
}

function changes({ actions }: StepRecord): Html {
  const lines = actions.flatMap((acted) => acted.changes);
  if (lines.length === 0) return html`<p class="quiet">Nothing.</p>`;
  const kinds: Readonly<Record<string, string>> = { "+": "add", "-": "del", "~": "mod" };
  return html`<pre class="changes">
${lines.map((line) => html`<span class="${kinds[line[0] ?? ""]}">${line}</span>`)}</pre>`;
}

function raw(title: string, value: unknown): Html | undefined {
  if (value === null || value === undefined) return undefined;
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  return html`<div>
    <h3>${title}</h3>
    <pre>${text}</pre>
  </div>`;
}

function titleOf({ actions, answer, state }: StepRecord): string {
  const why = actions.map(({ action: asked }) => asked["why"]).find((each) => typeof each === "string" && each !== "");
  if (typeof why === "string") return why;
  if (actions.length > 0) return actions.map(({ action: asked }) => String(asked["action"])).join(", ");
  if (state === "deciding") return "Looked, and decided nothing";
  const said = (answer as { readonly why?: unknown } | null)?.why;
  return typeof said === "string" ? said : "Decided, and did nothing";
}

const effectTones = { confirmed: "good", no_change: "warn", unverifiable: "info", none: "none" } as const;

function toneOf({ actions }: StepRecord): string {
  if (actions.some(({ error }) => error !== null)) return "bad";
  const effects = actions.map(({ effect }) => effect).filter((effect) => effect !== "none");
  return effectTones[effects.at(-1) ?? "none"];
}

function effectOf({ actions }: StepRecord): string {
  const failed = actions.find(({ error }) => error !== null);
  if (failed) return failed.error?.code.replaceAll("_", " ") ?? "failed";
  const effects = actions.map(({ effect }) => effect).filter((effect) => effect !== "none");
  return effects.at(-1)?.replace("_", " ") ?? "nothing sent";
}

function whereOf({ actions }: StepRecord): string {
  const aimed = actions.find(({ image, screen }) => image !== null || screen !== null);
  if (!aimed) return "";
  const image = aimed.image ? `pixel ${aimed.image.x},${aimed.image.y}` : "";
  const screen = aimed.screen ? `screen ${aimed.screen.x},${aimed.screen.y}` : "";
  return [image, screen].filter((part) => part !== "").join(" → ");
}

function tokensOf({ usage, total }: StepRecord): string {
  const own = usage.input_tokens + usage.output_tokens;
  const all = total.input_tokens + total.output_tokens;
  return all === 0
    ? "no tokens"
    : `${count(usage.input_tokens)} tokens in, ${count(usage.output_tokens)} out (${count(own)} of ${count(all)} so far)`;
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
const count = (number: number): string => number.toLocaleString("en");
const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
