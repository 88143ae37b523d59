/** The title is one that handsight itself may neither see nor use: an agent must not answer for the person. */
export const approvalHtml = (nonce: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>handsight approval</title>
<style nonce="${nonce}">
body{font:16px system-ui;max-width:44rem;margin:2rem auto;padding:0 1rem;color:#111;background:#fff}
article{border:1px solid #bbb;border-radius:8px;padding:1rem;margin:1rem 0}
button{font:inherit;padding:.4rem .8rem;margin:.2rem;border-radius:6px;border:1px solid #888;cursor:pointer}
#stop{background:#b00;color:#fff;border-color:#800;float:right}
@media(prefers-color-scheme:dark){body{color:#eee;background:#111}button{background:#333;color:#eee}}
</style></head><body>
<button id="stop">Emergency stop</button>
<h1>handsight asks</h1>
<p id="state" role="status">Connecting…</p>
<main></main>
<script nonce="${nonce}">
const labels = {
  once: "Allow once",
  tool: "Allow this tool",
  window: "Allow in this window",
  session: "Allow all of this kind",
  deny: "Deny",
};
const query = location.search;
const state = document.getElementById("state");
const post = (path, body) => fetch(path + query, { method: "POST", body: JSON.stringify(body ?? {}) });
document.getElementById("stop").onclick = async () => {
  await post("/stop");
  state.textContent = "Stopped. Input is refused until: handsight resume";
};
const source = new EventSource("/questions" + query);
source.onerror = () => { state.textContent = "The connection was lost; trying again."; };
source.onmessage = ({ data }) => {
  const questions = JSON.parse(data);
  state.textContent = questions.length === 0 ? "Nothing to answer. Leave this page open." : "";
  document.querySelector("main").replaceChildren(...questions.map(({ id, text, offers, client }) => {
    const box = document.createElement("article");
    const words = document.createElement("p");
    const who = document.createElement("small");
    words.textContent = text;
    who.textContent = client ?? "";
    const buttons = offers.map((offer) => {
      const button = document.createElement("button");
      button.textContent = labels[offer];
      button.onclick = () => post("/answer", { id, answer: offer });
      return button;
    });
    box.append(words, ...buttons, who);
    return box;
  }));
};
</script></body></html>`;
