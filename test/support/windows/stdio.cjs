// Preloaded into every node.exe under Wine: a pipe inherited from Linux is no Windows pipe, so opening process.stdout on one
// fails. Reading and writing the handles works.
const fs = require("node:fs");
const { Writable } = require("node:stream");

/** @param {number} fd */
function openOutput(fd) {
  const stream = new Writable({
    write(bytes, _encoding, done) {
      try {
        for (let at = 0; at < bytes.length;) at += fs.writeSync(fd, bytes, at, bytes.length - at);
        done();
      } catch (error) {
        done(/** @type {Error} */ (error));
      }
    },
  });
  return Object.assign(stream, { fd });
}

/**
 * @param {"stdin" | "stdout" | "stderr"} name
 * @param {() => unknown} open
 */
function replace(name, open) {
  const own = Object.getOwnPropertyDescriptor(process, name);
  /** @type {unknown} */
  let opened;
  const get = () => {
    try {
      return own?.get?.call(process) ?? open();
    } catch {
      return open();
    }
  };
  Object.defineProperty(process, name, { configurable: true, enumerable: true, get: () => (opened ??= get()) });
}

replace("stdin", () => fs.createReadStream("", { fd: 0, autoClose: false }));
replace("stdout", () => openOutput(1));
replace("stderr", () => openOutput(2));
