import { makeMatcher } from "../../../base/match-text.ts";
import { makeChanges } from "./changes.ts";
import { makeClosedRoots } from "./closed-roots.ts";
import { makeCollector, type Collector } from "./collect.ts";
import { makeCopied, type Copied } from "./copied.ts";
import { makeDescribe } from "./describe.ts";
import { makeDom } from "./dom.ts";
import { makeEmbedded } from "./embedded.ts";
import { makeFields, type Fields } from "./fields.ts";
import { makeGenerated } from "./generated.ts";
import { makeHeard } from "./heard.ts";
import { makeHints } from "./hints.ts";
import { makeNames } from "./names.ts";
import { makeOwned } from "./owned.ts";
import { makePlacing, type Placing } from "./place.ts";
import { makePointing, type Pointing } from "./pointer.ts";
import { makeRoles } from "./roles.ts";
import { makeRows } from "./rows.ts";
import { makeSecrets, type Secrets } from "./secrets.ts";
import { makeUnrest } from "./unrest.ts";
import { makeWalking } from "./walk.ts";
import { makeWatching, type Watching } from "./watch.ts";

/** Everything we can ask of a document, as methods of one object that lives in our own world. */
export type Agent = Collector & Pointing & Watching & Fields & Placing & Secrets & Pick<Copied, "taken">;

/** The source text of the functions, joined: a page runs exactly what is written in this folder. */
export const agentSource = `(() => {
const dom = (${makeDom.toString()})();
const roles = (${makeRoles.toString()})();
const generated = (${makeGenerated.toString()})(dom);
const owned = (${makeOwned.toString()})(dom);
const embedded = (${makeEmbedded.toString()})(dom);
const names = (${makeNames.toString()})(dom, roles, generated, owned, embedded);
const describe = (${makeDescribe.toString()})(dom, roles, names);
const roots = (${makeClosedRoots.toString()})(dom);
const heard = (${makeHeard.toString()})(dom, roles);
const walking = (${makeWalking.toString()})(dom, roles, names, describe, roots, heard);
const hints = (${makeHints.toString()})(dom);
const matcher = (${makeMatcher.toString()})();
const pack = (${makeRows.toString()})();
const collector = (${makeCollector.toString()})(dom, roles, names, describe, roots, walking, heard, hints, matcher, pack);
const unrest = (${makeUnrest.toString()})(dom);
const changes = (${makeChanges.toString()})(dom, roles, names, describe, walking, unrest);
const copied = (${makeCopied.toString()})();
const watching = (${makeWatching.toString()})(dom, unrest, changes, copied, collector.read);
return Object.assign({ taken: copied.taken }, collector, watching,
  (${makePointing.toString()})(dom, describe),
  (${makeFields.toString()})(dom, names, describe, watching.conclude),
  (${makePlacing.toString()})(dom),
  (${makeSecrets.toString()})(dom, roots));
})()`;
