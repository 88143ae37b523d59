/** handsight itself may neither see nor use a page with this title: an agent must not answer for the person. */
export const approvalHtml = (nonce: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>handsight approval</title>
<style nonce="${nonce}">
:root{color-scheme:light dark;--line:#8886;--soft:#8882;--accent:#0a6b4f;--warn:#b3261e}
body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:0 auto;padding:0 1rem 2rem;color:#161616;background:#fafafa;display:flex;flex-direction:column}
h1{font-size:1.25rem;margin:.5rem 0 0}
#state{color:#555;margin:.25rem 0 1rem}
article{border:1px solid var(--line);border-radius:12px;padding:1rem 1.25rem;margin:1rem 0;background:#fff;overflow-wrap:anywhere}
article p{margin:0 0 .75rem;font-size:1.05rem}
small{color:#666;display:block;margin-top:.75rem}
button{font:inherit;padding:.45rem .9rem;margin:.2rem .4rem .2rem 0;border-radius:8px;border:1px solid var(--line);background:var(--soft);color:inherit;cursor:pointer}
button:disabled{opacity:.45;cursor:default}
button:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
button.allow{border-color:var(--accent)}
figure{position:relative;margin:0 0 1rem;width:fit-content;max-width:100%;border:1px solid var(--line);border-radius:6px;overflow:hidden;line-height:0}
figure img{max-width:100%;max-height:22rem}
figure i{position:absolute;border:3px solid #e3650b;border-radius:4px;box-shadow:0 0 0 2px #fff}
/* First to be seen, last to be reached by the Tab key. */
footer{order:-1;position:sticky;top:0;padding:.5rem 0;background:#fafafae6;text-align:right}
#stop{background:var(--warn);border-color:var(--warn);color:#fff}
@media(prefers-color-scheme:dark){body{color:#eee;background:#161616}article{background:#202020}#state,small{color:#aaa}footer{background:#161616e6}}
</style></head><body>
<h1>handsight asks</h1>
<p id="state" role="status">Connecting…</p>
<main aria-live="polite"></main>
<footer><button id="resume" hidden>Allow input again</button><button id="stop">Emergency stop</button></footer>
<script type="module" nonce="${nonce}">
const labels = {
  once: "Allow once",
  tool: "Allow this tool until handsight stops",
  window: "Allow everything in this window",
  session: "Allow this kind until handsight stops",
  deny: "Deny",
};
// A click that was meant for something else must not hit a button that has just come under the pointer.
const armMs = 700;
const state = document.getElementById("state");
const main = document.querySelector("main");
const [stop, resume] = ["stop", "resume"].map((id) => document.getElementById(id));
const code = location.hash.slice(1);
history.replaceState(null, "", "/");
let secret = "";
const send = (path, body) =>
  fetch(path, {
    method: body === undefined ? "GET" : "POST",
    headers: { "x-handsight-secret": secret },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
const onPress = (button, act) => {
  button.onclick = (event) => {
    if (event.isTrusted) act();
  };
};
const showStopped = (isStopped) => {
  resume.hidden = !isStopped;
  stop.hidden = isStopped;
  state.textContent = isStopped ? "Stopped. handsight does nothing until you allow input again." : "Input is allowed again.";
};
onPress(stop, async () => (await send("/stop", {})).ok && showStopped(true));
onPress(resume, async () => (await send("/resume", {})).ok && showStopped(false));

async function addPicture(box, id) {
  const answer = await send("/picture?id=" + encodeURIComponent(id));
  if (!answer.ok) return;
  const figure = document.createElement("figure");
  const image = document.createElement("img");
  image.alt = "What it is about, as it looks now";
  image.src = URL.createObjectURL(await answer.blob());
  figure.append(image);
  const part = JSON.parse(answer.headers.get("x-handsight-box"));
  if (part) {
    const mark = document.createElement("i");
    for (const [side, share] of Object.entries({ left: part.x, top: part.y, width: part.width, height: part.height }))
      mark.style.setProperty(side, 100 * share + "%");
    figure.append(mark);
  }
  await image.decode();
  box.querySelector("p").after(figure);
}

function makeQuestion({ id, text, offers, client }) {
  const box = document.createElement("article");
  box.dataset.id = id;
  const words = document.createElement("p");
  const who = document.createElement("small");
  words.textContent = text;
  who.textContent = client ? "asked by " + client : "";
  const buttons = offers.map((offer) => {
    const button = document.createElement("button");
    button.textContent = labels[offer];
    button.className = offer === "deny" ? "deny" : "allow";
    button.disabled = true;
    onPress(button, () => send("/answer", { id, answer: offer }));
    return button;
  });
  box.append(words, ...buttons, who);
  const arm = () => setTimeout(() => buttons.forEach((button) => (button.disabled = false)), armMs);
  // The picture moves the buttons when it comes.
  addPicture(box, id).then(arm, arm);
  return box;
}

function show(questions) {
  if (resume.hidden) state.textContent = questions.length === 0 ? "Nothing to answer. Leave this page open." : "";
  const open = new Set(questions.map(({ id }) => id));
  for (const box of [...main.children]) if (!open.has(box.dataset.id)) box.remove();
  const shown = new Set([...main.children].map((box) => box.dataset.id));
  // New ones come last, so that none moves away under the pointer.
  for (const question of questions) if (!shown.has(question.id)) main.append(makeQuestion(question));
}

async function follow() {
  const { body } = await send("/questions");
  let rest = "";
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split("\\n");
    rest = lines.pop();
    if (lines.length > 0) show(JSON.parse(lines.at(-1)));
  }
}

async function begin() {
  const answer = await send("/enter", { code });
  if (!answer.ok) {
    state.textContent = "This page works once. To answer, run in a terminal: handsight approve --open";
    return;
  }
  ({ secret } = await answer.json());
  try {
    await follow();
  } catch {}
  main.replaceChildren();
  state.textContent = "handsight has ended, or the connection was lost.";
}
begin();
</script></body></html>`;
