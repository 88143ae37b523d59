import type { AgentResult } from "../src/index.ts";

/** The page the demo orders on. */
export const shop = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Leaf &amp; Kettle</title>
<style>
  body { font: 17px/1.5 system-ui, "DejaVu Sans", sans-serif; margin: 0; background: #f3efe6; color: #2b2a26; }
  main { max-width: 560px; margin: 48px auto; background: #fff; border-radius: 16px; padding: 32px 40px; box-shadow: 0 10px 40px #0001; }
  h1 { margin: 0 0 4px; color: #2f5d4a; } p { margin: 0 0 24px; color: #6b675d; }
  label { display: block; margin-bottom: 18px; } label > span { display: block; font-weight: 600; margin-bottom: 4px; }
  input[type=text], select { font: inherit; width: 100%; padding: 10px 12px; border: 1px solid #cfc8b8; border-radius: 8px; box-sizing: border-box; background: #fff; }
  button { font: inherit; font-weight: 600; padding: 12px 28px; border: 0; border-radius: 8px; background: #2f5d4a; color: #fff; }
  output { display: block; margin-top: 22px; padding: 14px 16px; border-radius: 8px; background: #e6f1ea; } output:empty { display: none; }
</style>
<main>
  <h1>Leaf &amp; Kettle</h1>
  <p>Tea, by the pot.</p>
  <form onsubmit="event.preventDefault(); out.textContent = 'Thank you, ' + who.value + ': one ' + size.value.toLowerCase() + ' pot, ' + (gift.checked ? '' : 'not ') + 'gift-wrapped.'">
    <label><span>Your name</span><input type="text" id="who"></label>
    <label><span>Size</span><select id="size"><option>Small</option><option>Medium</option><option>Large</option></select></label>
    <label><input type="checkbox" id="gift"> Gift wrap</label>
    <button>Order</button>
    <output id="out"></output>
  </form>
</main>`;

export interface Chapter {
  readonly title: string;
  readonly goal: string;
  readonly file: string;
  readonly shows: string;
  readonly result: AgentResult;
  readonly picture: Uint8Array | undefined;
}

/** The first page of the demo's result: one card for each chapter. */
export function overview(chapters: readonly Chapter[]): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>handsight demo</title>
<style>
  :root { color-scheme: light dark; --paper: light-dark(#f4f5f7, #101216); --card: light-dark(#fff, #191c22); --line: light-dark(#dfe2e8, #2a2f38); --ink: light-dark(#191c22, #e9ebef); --soft: light-dark(#5d6675, #9aa3b2); --good: light-dark(#137a4b, #4cc78a); }
  body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, "DejaVu Sans", sans-serif; }
  main { max-width: 1180px; margin: 0 auto; padding: 40px 24px; }
  h1 { margin: 0 0 4px; } h2 { font-size: 1.05rem; margin: 0 0 6px; } p { margin: 0; color: var(--soft); }
  .cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(320px, 1fr)); gap: 20px; margin-top: 28px; }
  a { display: flex; flex-direction: column; background: var(--card); border: 1px solid var(--line); border-radius: 14px; overflow: hidden; color: inherit; text-decoration: none; transition: transform .12s; }
  a:hover { transform: translateY(-3px); }
  .shot { height: 260px; padding: 18px; background: var(--paper) center / contain no-repeat content-box; border-bottom: 1px solid var(--line); }
  .text { padding: 18px 20px; display: grid; gap: 10px; } q { font-style: italic; overflow-wrap: anywhere; }
  .good { color: var(--good); font-weight: 600; }
</style>
<main>
  <h1>handsight demo</h1>
  <p>Three instructions in plain words, followed by an agent without a model. Each card opens what was seen, done and verified.</p>
  <div class="cards">${chapters.map(card).join("\n")}</div>
</main>
`;
}

function card({ title, goal, file, shows, result, picture }: Chapter): string {
  const image = picture
    ? `style="background-image:url(data:image/jpeg;base64,${Buffer.from(picture).toString("base64")})"`
    : "";
  const spent = `${result.steps} steps, ${(result.ms / 1_000).toFixed(1)} s, ${result.verdict.evidence.confirmed} effects confirmed`;
  return `<a href="${escape(file)}"><div class="shot" ${image}></div><div class="text">
  <h2>${escape(title)}</h2><q>${escape(goal)}</q><p class="good">✓ ${escape(shows)}</p><p>${escape(spent)}</p></div></a>`;
}

const escape = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.codePointAt(0)};`);
