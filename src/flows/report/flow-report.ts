import { Html, html } from "../../base/html.ts";
import { factList, lineList, ReportPictures, type Fact, type PictureAddress } from "../../base/report-parts.ts";
import { style } from "../../base/report-style.ts";
import type { FlowPicture, RunRecord, StepRecord } from "../play/run-record.ts";

/** One self-contained page: what each flow did, step by step, with pictures before and after. */
export function renderFlowReport(runs: readonly RunRecord[], picture: PictureAddress): string {
  const shots = runs.flatMap(({ steps }) => steps.flatMap(({ before, after }) => [before, after]));
  const pictures = new ReportPictures(
    shots.flatMap((shot) => (shot ? [shot.file] : [])),
    picture,
  );
  const failed = runs.filter(({ status }) => status !== "passed" && status !== "running").length;
  const atWork = runs.filter(({ status }) => status === "running").length;
  const passed = runs.length - failed - atWork;
  const [only] = runs;
  const title = runs.length === 1 && only ? only.name : `${runs.length} flows`;
  const ms = runs.reduce((sum, run) => sum + run.ms, 0);
  const facts: readonly Fact[] = [
    ["Passed", String(passed)],
    ["Failed", String(failed)],
    ...(atWork > 0 ? [["Not ended", String(atWork)] as const] : []),
    ["Steps", String(runs.reduce((sum, { steps }) => sum + steps.length, 0))],
    ["Time", seconds(ms)],
    ["Started", only ? new Date(only.started).toISOString().replace("T", " ").slice(0, 19) : "–"],
  ];
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta
          http-equiv="Content-Security-Policy"
          content="default-src 'none'; style-src 'unsafe-inline'; img-src data: file: 'self'"
        />
        <title>${title.slice(0, 80)} — handsight</title>
        <style>
          ${new Html(style + ownStyle)}${pictures.style}
        </style>
      </head>
      <body>
        <header>
          <div>
            <div class="brand"><span>handsight flow</span><span>target → act → expect</span></div>
            <h1>${title}</h1>
            ${factList(facts)} ${runs.length > 1 ? contents(runs) : undefined}
          </div>
        </header>
        <main>
          ${runs.map((run, index) => runSection(run, index + 1, pictures, runs.length === 1))}
          <footer>
            Everything read from the screen is shown as text and means nothing to this page. Entered text is left out.
          </footer>
        </main>
      </body>
    </html>`;
  return `${page.text}\n`;
}

const ownStyle = `
.runs { list-style: none; margin: 20px 0 0; padding: 0; display: grid; gap: 6px; }
.runs a { display: flex; gap: 12px; align-items: center; background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 8px 14px; }
.runs span:nth-child(2) { flex: 1; }
.run > h1 { margin-top: 26px; }
.run .film { position: static; margin: 20px -24px 26px; }
.step.small .top { padding-bottom: 16px; }
.box { fill: none; stroke: #fff; stroke-width: 5; vector-effect: non-scaling-stroke; opacity: .85; }
.box + .box { stroke: var(--mark); stroke-width: 2.5; opacity: 1; }
.step.inner { margin-left: 28px; }
.events { margin: 8px 0 0; }
`;

const tones: Readonly<Record<RunRecord["status"] | StepRecord["status"], string>> = {
  passed: "good",
  failed: "bad",
  refused: "bad",
  unreachable: "bad",
  cancelled: "warn",
  warned: "warn",
  skipped: "none",
  running: "info",
};

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
const titleOf = ({ name, row }: RunRecord): string =>
  row ? `${name} (${Object.values(row).map(String).join(", ").slice(0, 60)})` : name;

const contents = (runs: readonly RunRecord[]): Html =>
  html`<ol class="runs">
    ${runs.map(
      (run, index) =>
        html`<li>
          <a href="#run-${index + 1}"
            ><span class="pill ${tones[run.status]}">${run.status}</span><span>${titleOf(run)}</span
            ><span class="quiet">${run.steps.length} steps · ${seconds(run.ms)}</span></a
          >
        </li>`,
    )}
  </ol>`;

function runSection(run: RunRecord, number: number, pictures: ReportPictures, isOnly: boolean): Html {
  return html`<section class="run" id="run-${number}">
    ${isOnly ? undefined : html`<h1>${titleOf(run)}</h1>`}
    <p class="quiet mono">${run.file}</p>
    ${verdict(run, pictures)} ${film(run, number, pictures)} ${run.steps.map((step) => card(step, number, pictures))}
  </section>`;
}

function verdict(run: RunRecord, pictures: ReportPictures): Html {
  const { status, failed, attempts, events = [], now } = run;
  const shot = run.steps.findLast(({ id }) => id === failed?.step)?.after;
  const lead =
    status === "running"
      ? "The flow had not ended when this was written: it is still at work, or it was killed."
      : failed
        ? `Step ${failed.step} (line ${failed.line}): ${failed.reason}`
        : "Every step did what it should.";
  return html`<section class="verdict ${tones[status]}">
    <div>
      <span class="pill">${status}</span>
      <p class="lead">${lead}</p>
      ${failed?.hint === undefined ? undefined : html`<p class="quiet">${failed.hint}</p>`}
      ${failed?.candidates ? lineList(failed.candidates) : undefined}
      ${attempts === undefined ? undefined : html`<p class="quiet">Tried ${attempts} times.</p>`}
      ${
        events.length === 0
          ? undefined
          : html`<div class="events">
              <h3>Last calls</h3>
              ${lineList(events)}
            </div>`
      }
      ${
        now === undefined
          ? undefined
          : html`<details>
              <summary>What is there where it ended</summary>
              <pre>${now}</pre>
            </details>`
      }
    </div>
    ${shot ? shotBox(shot, pictures, 240) : undefined}
  </section>`;
}

function film({ steps }: RunRecord, number: number, pictures: ReportPictures): Html | undefined {
  const shown = steps.filter(({ after, before }) => after !== undefined || before !== undefined);
  if (shown.length === 0) return undefined;
  return html`<nav class="film" aria-label="Steps">
    <ol>
      ${shown.map(
        (step) =>
          html`<li>
            <a href="#run-${number}-step-${step.id}" title="${step.what}">
              <span class="pic ${pictures.classOf((step.after ?? step.before)?.file)}"></span><b>${step.id}</b
              ><i class="${tones[step.status]}"></i>
            </a>
          </li>`,
      )}
    </ol>
  </nav>`;
}

function card(step: StepRecord, run: number, pictures: ReportPictures): Html {
  const { before, after, error, changes = [] } = step;
  const isSmall = before === undefined && after === undefined && !error && changes.length === 0;
  const facts = [
    step.effect?.replace("_", " "),
    step.via,
    step.rung === undefined ? undefined : `found by ${step.rung}`,
  ];
  const told = [...facts, step.saw, step.note, step.attempts === undefined ? undefined : `${step.attempts} attempts`];
  return html`<section
    class="step ${isSmall ? "small" : ""} ${step.depth > 0 ? "inner" : ""}"
    id="run-${run}-step-${step.id}"
  >
    <div class="top">
      <span class="no">${step.id}</span>
      <div>
        <h2>${step.what}</h2>
        <p class="quiet">${told.filter((each) => each !== undefined).join(" · ")}</p>
        ${
          error
            ? html`<p class="error">${error.code}: ${error.reason} ${error.hint}</p>
                ${error.candidates ? lineList(error.candidates) : undefined}`
            : undefined
        }
      </div>
      <span class="quiet mono">line ${step.line} · ${step.ms} ms</span>
      <span class="pill ${tones[step.status]}">${step.status}</span>
    </div>
    ${
      before === undefined && after === undefined
        ? undefined
        : html`<div class="pair">
            <figure>
              <figcaption><span>Before</span><span class="mono">${step.surface}</span></figcaption>
              <div class="frame">${shotBox(before, pictures)}</div>
            </figure>
            <figure>
              <figcaption><span>After</span></figcaption>
              <div class="frame">${shotBox(after, pictures)}</div>
            </figure>
          </div>`
    }
    ${
      changes.length === 0
        ? undefined
        : html`<details>
            <summary>Observed changes (${changes.length})</summary>
            <pre class="changes">
${changes.map((line) => html`<span class="${kinds[line[0] ?? ""]}">${line}</span>`)}</pre>
          </details>`
    }
  </section>`;
}

const kinds: Readonly<Record<string, string>> = { "+": "add", "-": "del", "~": "mod" };

function shotBox(shot: FlowPicture | undefined, pictures: ReportPictures, tallest = 430): Html {
  const name = pictures.classOf(shot?.file);
  if (!shot || name === undefined) return html`<div class="absent">No picture</div>`;
  const { width, height, mark } = shot;
  const box =
    mark && html`<rect class="box" x="${mark.x}" y="${mark.y}" width="${mark.width}" height="${mark.height}" rx="3" />`;
  return html`<div
    class="shot"
    style="aspect-ratio:${width}/${height};max-width:min(${width}px, ${Math.round((tallest * width) / height)}px)"
  >
    <span class="pic ${name}" role="img" aria-label="Picture of ${width} by ${height} pixels"></span>
    ${box ? html`<svg viewBox="0 0 ${width} ${height}" aria-hidden="true">${box}${box}</svg>` : undefined}
  </div>`;
}
