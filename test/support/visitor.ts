import type { Door } from "./doors.ts";

export type Data = Record<string, unknown>;

export interface Refusal {
  readonly code: string;
  readonly message: string;
}

/** Somebody who comes in through one of the doors. */
export interface Visitor {
  /** Calls a tool and returns its data; throws the content of the error if it fails. */
  readonly call: (tool: string, args?: object) => Promise<Data>;
  /** The error of a call. */
  readonly fails: (tool: string, args?: object) => Promise<Refusal>;
  /** The uid of the best match on the page. */
  readonly find: (query: string, role?: string) => Promise<string>;
  /** The picture of a call. */
  readonly picture: (tool: string, args?: object) => Promise<Buffer>;
}

export function visitorAt({ ask }: Pick<Door, "ask">): Visitor {
  const call: Visitor["call"] = async (tool, args) => {
    const { isError, data } = await ask(tool, args);
    if (isError) throw data["error"];
    return data;
  };
  return {
    call,
    async fails(tool, args) {
      const { isError, data } = await ask(tool, args);
      if (!isError) throw new Error(`${tool} should have failed, but gave ${JSON.stringify(data)}`);
      return data["error"] as Refusal;
    },
    async find(query, role) {
      const { matches } = await call("cdp_find_elements", { query, ...(role === undefined ? {} : { role }) });
      const [first] = matches as { uid: string }[];
      if (!first) throw new Error(`nothing on the page is called ${query}`);
      return first.uid;
    },
    async picture(tool, args) {
      const { isError, data, images } = await ask(tool, args);
      const [first] = images;
      if (isError || !first) throw new Error(JSON.stringify(data));
      return first;
    },
  };
}
