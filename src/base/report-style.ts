/** The styles of the report: light and dark, without external fonts or files. */
export const style = `
:root {
  color-scheme: light dark;
  --paper: light-dark(#f4f5f7, #101216);
  --card: light-dark(#ffffff, #191c22);
  --sunk: light-dark(#eceef2, #12151a);
  --line: light-dark(#dfe2e8, #2a2f38);
  --ink: light-dark(#191c22, #e9ebef);
  --soft: light-dark(#5d6675, #9aa3b2);
  --accent: light-dark(#3457d5, #8aa4ff);
  --good: light-dark(#137a4b, #4cc78a);
  --warn: light-dark(#9a5b00, #f0b35a);
  --bad: light-dark(#b3261e, #ff8a80);
  --mark: #ff2d6f;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
* { box-sizing: border-box; }
html { scroll-behavior: smooth; scroll-padding-top: 6.5rem; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 var(--sans); }
main, header > div { max-width: 1180px; margin: 0 auto; padding: 0 24px; }
h1 { font-size: 1.5rem; line-height: 1.3; margin: 10px 0 14px; font-weight: 650; overflow-wrap: anywhere; white-space: pre-line; }
h2 { font-size: 1rem; margin: 0; font-weight: 600; overflow-wrap: anywhere; }
h3 { font-size: .72rem; letter-spacing: .07em; text-transform: uppercase; color: var(--soft); margin: 0 0 8px; font-weight: 600; }
a { color: inherit; text-decoration: none; }
header { padding: 28px 0 22px; }
.brand { color: var(--soft); font-size: .82rem; letter-spacing: .02em; display: flex; justify-content: space-between; gap: 16px; flex-wrap: wrap; }
.facts { display: flex; flex-wrap: wrap; gap: 8px 26px; margin: 0; }
.facts div { display: flex; flex-direction: column; }
.facts dt { color: var(--soft); font-size: .75rem; }
.facts dd { margin: 0; font-variant-numeric: tabular-nums; font-weight: 550; }
.pill { display: inline-flex; align-items: center; gap: 6px; padding: 2px 10px; border-radius: 99px; font-size: .78rem; font-weight: 600;
  color: var(--tone, var(--soft)); background: color-mix(in srgb, var(--tone, var(--soft)) 13%, transparent); white-space: nowrap; }
.pill::before { content: ""; width: 7px; height: 7px; border-radius: 50%; background: currentColor; }
.plain::before { display: none; }
.good { --tone: var(--good); } .warn { --tone: var(--warn); } .bad { --tone: var(--bad); } .info { --tone: var(--accent); } .none { --tone: var(--soft); }
.verdict { display: grid; grid-template-columns: 1fr minmax(180px, 300px); gap: 24px; background: var(--card); border: 1px solid var(--line);
  border-left: 4px solid var(--tone); border-radius: 12px; padding: 18px 20px; margin-top: 20px; }
.verdict p { margin: 8px 0 0; overflow-wrap: anywhere; }
.verdict ul { margin: 8px 0 0; padding-left: 18px; color: var(--soft); }
.verdict > .shot { align-self: center; }
.lead { font-size: 1.08rem; font-weight: 550; }
.quiet { color: var(--soft); }
.film { position: sticky; top: 0; z-index: 5; background: color-mix(in srgb, var(--paper) 88%, transparent); backdrop-filter: blur(8px);
  border-block: 1px solid var(--line); margin-bottom: 26px; }
.film ol { list-style: none; display: flex; gap: 10px; overflow-x: auto; max-width: 1180px; margin: 0 auto; padding: 10px 24px; }
.film a { position: relative; display: block; width: 104px; height: 70px; border-radius: 8px; border: 1px solid var(--line); background-color: var(--sunk);
  overflow: hidden; transition: transform .12s, border-color .12s; }
.film a:hover, .film a:focus-visible { transform: translateY(-2px); border-color: var(--accent); outline: none; }
.film .pic { position: absolute; inset: 0; background-size: cover; background-position: top; opacity: .9; }
.film b { position: absolute; left: 5px; bottom: 5px; min-width: 20px; padding: 0 5px; border-radius: 6px; background: #000a; color: #fff; font: 600 .72rem/18px var(--mono); text-align: center; }
.film i { position: absolute; right: 7px; bottom: 8px; width: 10px; height: 10px; border-radius: 50%; background: var(--tone); box-shadow: 0 0 0 2px #000a; }
.step { background: var(--card); border: 1px solid var(--line); border-radius: 12px; margin-bottom: 20px; overflow: hidden; }
.step:target { border-color: var(--accent); box-shadow: 0 0 0 3px color-mix(in srgb, var(--accent) 25%, transparent); }
.top { display: flex; align-items: flex-start; gap: 14px; padding: 16px 20px 12px; }
.no { flex: none; width: 30px; height: 30px; border-radius: 9px; background: var(--sunk); color: var(--soft); font: 600 .85rem/30px var(--mono); text-align: center; }
.top > div { flex: 1; min-width: 0; }
.top p { margin: 2px 0 0; font-size: .85rem; }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 1px; background: var(--line); border-block: 1px solid var(--line); }
figure { margin: 0; background: var(--sunk); padding: 14px; min-width: 0; display: flex; flex-direction: column; }
figcaption { font-size: .75rem; color: var(--soft); margin-bottom: 8px; display: flex; justify-content: space-between; gap: 8px; }
.frame { flex: 1; display: flex; align-items: center; justify-content: center; }
.shot { position: relative; display: block; width: 100%; margin: 0 auto; border-radius: 6px; box-shadow: 0 1px 3px #0003, 0 8px 24px #0002; }
.pic { display: block; width: 100%; height: 100%; border-radius: inherit; background-size: 100% 100%; background-repeat: no-repeat; }
.shot svg { position: absolute; inset: 0; width: 100%; height: 100%; overflow: visible; }
.ring { fill: none; stroke: #fff; stroke-width: 5; vector-effect: non-scaling-stroke; opacity: .85; }
.ring + .ring, .way { stroke: var(--mark); stroke-width: 2.5; opacity: 1; }
.dot { fill: var(--mark); stroke: #fff; stroke-width: 1.5; vector-effect: non-scaling-stroke; }
.way { fill: none; vector-effect: non-scaling-stroke; stroke-dasharray: 7 5; }
.absent { color: var(--soft); font-size: .85rem; padding: 40px 10px; text-align: center; width: 100%; }
.body { display: grid; grid-template-columns: 1fr 1fr; gap: 22px; padding: 16px 20px 6px; }
.acts { list-style: none; margin: 0; padding: 0; display: grid; gap: 8px; }
.acts li { display: flex; flex-wrap: wrap; align-items: baseline; gap: 4px 10px; font-size: .88rem; min-width: 0; overflow-wrap: anywhere; }
code, pre, .mono { font-family: var(--mono); font-size: .82em; }
.acts code { background: var(--sunk); border-radius: 5px; padding: 1px 6px; overflow-wrap: anywhere; }
.changes { margin: 0; padding: 10px 12px; border-radius: 8px; background: var(--sunk); font-size: .8rem; white-space: pre-wrap; overflow-wrap: anywhere; }
.changes .add { color: var(--good); } .changes .del { color: var(--bad); } .changes .mod { color: var(--accent); }
.error { color: var(--bad); }
.time { display: flex; height: 6px; border-radius: 3px; overflow: hidden; background: var(--sunk); margin: 10px 20px 0; gap: 2px; }
.time span { flex-basis: 0; min-width: 2px; }
.look { background: color-mix(in srgb, var(--accent) 45%, var(--sunk)); } .think { background: color-mix(in srgb, var(--warn) 60%, var(--sunk)); } .do { background: color-mix(in srgb, var(--good) 60%, var(--sunk)); }
.spent { display: flex; flex-wrap: wrap; gap: 4px 18px; padding: 8px 20px 4px; color: var(--soft); font-size: .78rem; font-variant-numeric: tabular-nums; }
.spent i { display: inline-block; width: 8px; height: 8px; border-radius: 2px; margin-right: 5px; }
details { border-top: 1px solid var(--line); margin-top: 10px; }
summary { cursor: pointer; padding: 10px 20px; font-size: .82rem; color: var(--soft); }
summary:hover { color: var(--ink); }
.raw { display: grid; grid-template-columns: 1fr 1fr; gap: 16px; padding: 4px 20px 18px; }
.raw pre { margin: 0; max-height: 340px; overflow: auto; padding: 12px; background: var(--sunk); border-radius: 8px; white-space: pre-wrap; overflow-wrap: anywhere; }
.raw > div { min-width: 0; }
footer { color: var(--soft); font-size: .8rem; padding: 10px 0 40px; text-align: center; }
@media (max-width: 760px) { .pair, .body, .raw, .verdict { grid-template-columns: 1fr; } main, header > div, .film ol { padding-inline: 14px; } }
@media print { .film { position: static; } .step { break-inside: avoid; } details { display: none; } }
`;
