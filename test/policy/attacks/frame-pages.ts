/** In everything that must not be seen. */
export const canary = "c4nary-71d3";
/** In no other place of a page; a picture with it shows a blocked frame. */
export const blockedColour = [0xff, 0, 0xfe] as const;

/** Where the frame is in every page. */
export const inFrame = { x: 200, y: 230 };
/** Where its field is. */
export const inField = { x: 100, y: 225 };
const place = "position:absolute;left:20px;top:100px;width:360px;height:200px;border:0";

const shown = (
  inner: string,
  title = "Shown",
): string => `<title>${title}</title><body style="margin:0;background:#fff">
  <h1>Plain words</h1><input aria-label="Outside"><button onclick="tell()">Tell</button>
  <button onclick="document.querySelector('iframe').src = '/secret.html'">Send</button>
  ${inner}
  <script>const tell = () => { for (let at = 0; at < frames.length; at++) frames[at].postMessage(location.hash.slice(1), "*"); }</script>`;

const frame = (attributes: string, style = ""): string =>
  `<iframe title="${canary} frame" id="${canary}-id" ${attributes} style="${place};${style}"></iframe>`;

/** Tells in itself what has reached it, and does what it is told. */
const content = (title: string): string => `<title>${title}</title>
  <body style="margin:0;background:#ff00fe"><p>${canary} text</p><input aria-label="${canary} field" style="position:absolute;left:0;top:60px;width:170px;height:70px">
  <div style="position:absolute;left:180px;top:0">
  <button onclick="alert('${canary} asks')">${canary} asks</button>
  <button onclick="window.open('about:blank').document.write('<title>${canary} popup</title>${canary} inside')">${canary} opens</button>
  <button onclick="window.open(window.URL.createObjectURL(new Blob(['<title>${canary} popup</title>'], { type: 'text/html' })))">${canary} makes</button>
  </div><p id="log">left alone</p>
  <script>
    const log = document.getElementById("log");
    for (const type of ["pointerdown", "click", "wheel", "keydown", "input", "pointermove", "pointerup", "drop"])
      addEventListener(type, () => { log.textContent += " reached by " + type; }, true);
    addEventListener("message", ({ data }) => {
      if (data === "change") log.insertAdjacentHTML("afterend", "<button>${canary} new</button>");
      if (data === "error") { console.error("${canary} error"); fetch("/missing?${canary}"); setTimeout(() => { throw new Error("${canary} thrown"); }); }
      if (data === "ask") confirm("${canary} asks");
      if (data === "title") document.title = "The Vault";
      if (data === "load") Object.assign(document.createElement("a"), { href: URL.createObjectURL(new Blob(["x"])), download: "${canary}.bin" }).click();
      if (data === "go") location.href = "/secret.html";
    });
  </script>`;

const escaped = (html: string): string => html.replaceAll("&", "&amp;").replaceAll('"', "&quot;");

/** Whatever is called secret is blocked by its address, whatever has a vault in its title by that. */
export const framePages: Readonly<Record<string, string>> = {
  "secret.html": content("Plain title"),
  "vault.html": content("The Vault"),
  "open.html": content("Plain title"),
  "own.html": shown(frame('src="/secret.html"')),
  "other.html": shown(frame('src="OTHER/secret.html"')),
  "own-vault.html": shown(frame('src="/vault.html"')),
  "other-vault.html": shown(frame('src="OTHER/vault.html"')),
  "srcdoc.html": shown(frame(`srcdoc="${escaped(content("The Vault"))}"`)),
  "redirected.html": shown(frame('src="/moved?to=/moved%3Fto%3D/secret.html"')),
  "object.html": shown(`<object type="text/html" data="/secret.html" style="${place}"></object>`),
  "frameset.html": `<title>Shown</title><frameset rows="100,*" border="0"><frame src="/top.html"><frame src="/secret.html"></frameset>`,
  "top.html": "<h1>Plain words</h1><input aria-label='Outside'>",
  "shadow.html": shown(
    `<div id="host"></div><script>host.attachShadow({ mode: "closed" }).innerHTML = '${frame('src="/secret.html"')}';</script>`,
  ),
  "nested.html": shown(frame('src="/middle.html"').replaceAll(canary, "plain")),
  "middle.html": `<body style="margin:0"><iframe src="OTHER/secret.html" style="width:360px;height:200px;border:0"></iframe>`,
  "scaled.html": shown(frame('src="/narrow.html"', "width:180px;height:100px;transform:scale(2);transform-origin:0 0")),
  "zoomed.html": shown(frame('src="/narrow.html"', "left:10px;top:50px;width:180px;height:100px;zoom:2")),
  "mirrored.html": shown(frame('src="/half.html"', "transform:scaleX(-1)")),
  "half.html": `<body style="margin:0"><iframe src="/secret.html" style="position:absolute;left:180px;width:180px;height:200px;border:0"></iframe>`,
  "narrow.html": `<body style="margin:0"><iframe src="/secret.html" style="width:180px;height:100px;border:0"></iframe>`,
  "around-open.html": shown(frame('src="/secret-open.html"')),
  "secret-open.html": `<body style="margin:0"><iframe src="OTHER/open.html" style="width:360px;height:200px;border:0"></iframe>`,
  "around-srcdoc.html": shown(frame('src="OTHER/secret-srcdoc.html"')),
  "secret-srcdoc.html": `<body style="margin:0"><iframe srcdoc="${escaped(content("Plain title"))}" style="width:360px;height:200px;border:0"></iframe>`,
  "around-data.html": shown(frame('src="/secret-data.html"')),
  "secret-data.html": `<body style="margin:0"><iframe src="data:text/html,${encodeURIComponent(content("Plain title"))}" style="width:360px;height:200px;border:0"></iframe>`,
  "around-blob.html": shown(frame('src="/secret-blob.html"')),
  "secret-blob.html": `<body style="margin:0"><script>
      const inner = Object.assign(document.createElement("iframe"), { style: "width:360px;height:200px;border:0" });
      inner.src = URL.createObjectURL(new Blob([decodeURIComponent("${encodeURIComponent(content("Plain title"))}")], { type: "text/html" }));
      document.body.append(inner);
    </script>`,
  "around-blank.html": shown(frame('src="OTHER/secret-blank.html"')),
  "secret-blank.html": `<body style="margin:0"><iframe style="width:360px;height:200px;border:0"></iframe><script>
      frames[0].document.write(decodeURIComponent("${encodeURIComponent(content("Plain title"))}")); frames[0].document.close();
    </script>`,
  // A blocked frame fills an empty one beside it.
  "lent.html": shown(
    `<iframe src="OTHER/secret-lender.html" style="position:absolute;left:500px;top:100px;width:10px;height:10px;border:0"></iframe>
     <iframe name="lent" src="OTHER/form.html" style="${place}"></iframe>`,
  ),
  "secret-lender.html": `<body style="background:#ff00fe"><script>
      const lent = parent.frames.lent;
      const fill = setInterval(() => {
        try {
          if (lent.document.readyState !== "complete") return;
          if (lent.document.URL !== "about:blank") return void open("about:blank", "lent");
          lent.document.documentElement.innerHTML = decodeURIComponent("${encodeURIComponent(content("Plain title"))}");
          clearInterval(fill);
          location.replace("/secret.html");
        } catch {}
      }, 20);
    </script>`,
  "moving.html": `${shown(frame('src="/secret.html"', "animation:shake 170ms infinite alternate"))}
    <style>@keyframes shake { from { transform: translate(0, 0) } to { transform: translate(300px, 150px) } }</style>`,
  "popups.html": `<title>Shown</title><h1>Plain words</h1>
    <button onclick="window.open('/secret.html?${canary}')">Open</button><a target="_blank" rel="opener" href="OTHER/vault.html?${canary}">Follow</a>`,
  "leading.html": `<title>Shown</title><h1>Plain words</h1><script>location.replace("/secret.html")</script>`,
  "turning.html": shown(frame('src="/open.html"')),
  "turning-other.html": shown(frame('src="OTHER/open.html"')),
  "allowed.html": shown(
    `${frame('src="OTHER/form.html"').replaceAll(canary, "plain")}<iframe src="/form.html" style="position:absolute;left:20px;top:320px;border:0"></iframe>
     <iframe src="OTHER/secret.html" style="position:absolute;left:420px;top:100px;width:300px;height:200px;border:0"></iframe>`,
  ),
  "form.html": `<body style="margin:0;background:#00fe00"><input aria-label="Inside"><button onclick="this.textContent = 'Pressed'">Press</button>`,
};
