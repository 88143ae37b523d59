// @ts-check

/**
 * How a command of the README is run in a fresh root, and what it has to do there.
 * @typedef {object} Row
 * @property {string} [shorter] run instead, where the whole takes too long; `--full` runs the whole
 * @property {boolean} [onDesktop] with a desktop that a person sits at, who says yes when asked
 * @property {number} [seconds] it goes on until it is interrupted; after so long it must still be there
 * @property {number} [code] its exit code, 0 unless named
 * @property {RegExp} says what it prints
 * @property {string} [file] a file it makes
 * @property {RegExp} [holds] how that file begins
 */

/** @type {Readonly<Record<string, Row>>} */
export const rows = {
  "npm run demo": { says: /the display says 4[\s\S]*dashboard is open[\s\S]*gift-wrapped[\s\S]*Done in/ },
  "npm test": { shorter: "npm test -- test/project/docs.test.ts", says: /\d+ passed, 0 failed/ },
  "npx handsight doctor": { says: /handsight works here on a private desktop: add --desktop virtual\./ },
  "npx handsight desktop -- mousepad": { seconds: 8, says: /^(?!.*handsight:)/s },
  "npx handsight list_windows": { onDesktop: true, says: /^id +title +app +pid +place +state$[\s\S]*Mousepad/m },
  "npx handsight take_screenshot screen --out screen.png": {
    onDesktop: true,
    says: /^saved: .*screen\.png$/m,
    file: "screen.png",
    holds: /^\x89PNG/,
  },
  "npx handsight click 640 210": { onDesktop: true, says: /^effect: +(confirmed|no_change)$/m },
  'npx handsight type_text "Grüße 🎉"': { onDesktop: true, says: /^effect: +confirmed$/m },
  "npx handsight press_key ctrl+s --json": { onDesktop: true, says: /^\{"ok":true,.*"keys":\["ctrl","s"\]/m },
  [`npx handsight agent 'click "7", click "*", click "6", click "="' --app Calculator --desktop virtual`]: {
    says: /^done: All 4 steps[\s\S]*4 effects seen/m,
  },
  'npx handsight agent "Save the letter as draft.txt" --model anthropic:MODEL': {
    code: 2,
    says: /needs a key, and there is none[\s\S]*ANTHROPIC_API_KEY/,
  },
  'npx handsight agent "Save the letter as draft.txt" --via claude': {
    code: 1,
    says: /claude[\s\S]*(install|not found|PATH)/i,
  },
  "npx handsight bench tasks --model rules": {
    shorter: "npx handsight bench tasks --model rules --only 'mousepad*'",
    says: /success/,
  },
};
