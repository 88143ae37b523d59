import { isDeepStrictEqual } from "node:util";
import type { PageAgent, Step, Target } from "./agent.ts";
import type { Site } from "./site.ts";

export interface PageJob {
  readonly id: string;
  readonly goal: string;
  run(agent: PageAgent, url: string): Promise<string | void>;
  /** What the site was sent, or what the agent reported; undefined when it is right. */
  check(site: Site, said: string | void): string | undefined;
}

const button = (name: string): Target => ({ role: "button", name });
const link = (name: string): Target => ({ role: "link", name });
const field = (name: string): Target => ({
  role: "(?!(?:button|link|StaticText|LabelText|text|generic|label|heading)\\b)[A-Za-z]\\w*",
  name,
});
const fill = (name: string, text: string): Step => ({ fill: field(name), text });
const choose = (name: string, option: string): Step => ({ choose: field(name), option });
const click = (target: Target): Step => ({ click: target });
const leads = (target: Target): Step => ({ click: target, leads: true });
const check = (name: string, role = "checkbox"): Step => ({ check: { role, name } });

/** All posts together have these values. */
function sent(site: Site, expected: Readonly<Record<string, unknown>>): string | undefined {
  const all = Object.assign({}, ...site.posts) as Record<string, unknown>;
  const wrong = Object.keys(expected).filter((key) => !isDeepStrictEqual(all[key], expected[key]));
  return wrong.length === 0 ? undefined : wrong.map((key) => `${key} is ${JSON.stringify(all[key])}`).join(", ");
}

const said = (given: string | void, expected: string): string | undefined =>
  given === expected ? undefined : `it reported ${JSON.stringify(given)}, not ${expected}`;

export const pageJobs: readonly PageJob[] = [
  {
    id: "sign-up form",
    goal: "Become a member: Ada Lovelace from Portugal, plan Crew, with the newsletter. Report the member number.",
    async run(agent, url) {
      await agent.open(`${url}/sign-up`);
      return agent.act(
        [
          fill("Full name", "Ada Lovelace"),
          fill("Email", "ada@example.org"),
          fill("Password", "correct horse 7"),
          fill("Phone", "+351 555 0100"),
          choose("Country", "Portugal"),
          fill("Date of birth", "1990-12-10"),
          check("Crew", "radio"),
          check("Send me the newsletter"),
          check("I accept the terms"),
          click(button("Create account")),
        ],
        /member number is (\S+?)\./,
      );
    },
    check: (site, given) =>
      said(given, "M-10427") ??
      sent(site, {
        name: "Ada Lovelace",
        email: "ada@example.org",
        country: "Portugal",
        born: "1990-12-10",
        plan: "crew",
        news: "on",
      }),
  },
  {
    id: "filter and sort a table",
    goal: "List the staff in Berlin, highest salary first.",
    async run(agent, url) {
      await agent.open(`${url}/staff`);
      await agent.act(
        [
          fill("Filter by city", "Berlin"),
          click(button("Apply filter")),
          click(button("Salary")),
          click(button("Salary")),
        ],
        /12 people, highest salary first/,
      );
    },
    check: (site) => sent(site, { city: "Berlin", order: -1 }),
  },
  {
    id: "delete, confirm a dialog",
    goal: "Delete invoice INV-1007.",
    async run(agent, url) {
      await agent.open(`${url}/invoices`);
      await agent.confirm(button("Delete INV-1007"), /INV-1007 was deleted/);
    },
    check: (site) => sent(site, { deleted: "INV-1007" }),
  },
  {
    id: "checkout over four pages",
    goal: "Order the jib to Ada Lovelace, Quay 7, 8000 Aarhus, by express, paid by transfer. Report the order number.",
    async run(agent, url) {
      await agent.open(`${url}/address`);
      await agent.act([
        fill("Name", "Ada Lovelace"),
        fill("Street", "Quay 7"),
        fill("Postcode", "8000"),
        fill("City", "Aarhus"),
        leads(button("Continue")),
      ]);
      await agent.act([check("Express, 1 day", "radio"), leads(button("Continue"))]);
      await agent.act([choose("Pay by", "Transfer"), leads(button("Continue"))]);
      return agent.act(
        [check("I agree to the terms of sale"), click(button("Place order"))],
        /order number is (\S+?)\./,
      );
    },
    check: (site, given) =>
      said(given, "H-55120") ??
      sent(site, {
        name: "Ada Lovelace",
        street: "Quay 7",
        city: "Aarhus",
        shipping: "express",
        pay: "Transfer",
        agree: "on",
      }),
  },
  {
    id: "choices, date and time",
    goal: "Book a 12 m berth with power in Horta, 4 nights from 2027-06-03, 18:30. Report the berth.",
    async run(agent, url) {
      await agent.open(`${url}/booking`);
      return agent.act(
        [
          choose("Marina", "Horta"),
          choose("Berth", "12 m"),
          fill("Arrival", "2027-06-03"),
          fill("Time", "18:30"),
          fill("Nights", "4"),
          check("Shore power"),
          click(button("Book")),
        ],
        /Your berth is (\S+?)\./,
      );
    },
    check: (site, given) =>
      said(given, "C-17") ??
      sent(site, { marina: "Horta", berth: "12 m", arrival: "2027-06-03", time: "18:30", nights: "4", power: "on" }),
  },
  {
    id: "search, open a result",
    goal: "Search the journal for tide, open the article about the mills of the Tejo: when was the largest built?",
    async run(agent, url) {
      await agent.open(`${url}/search`);
      await agent.act([fill("Search", "tide"), leads(button("Search"))]);
      return agent.act([leads(link("Old tide mills of the Tejo"))], /was built in (\d+)/);
    },
    check: (site, given) => said(given, "1403") ?? sent(site, { read: "mills" }),
  },
  {
    id: "choose from a live list",
    goal: "Set the destination to Portugal. What does it cost?",
    async run(agent, url) {
      await agent.open(`${url}/destination`);
      await agent.act([fill("Destination", "Po")]);
      return agent.act(
        [click({ role: "(?:option|listitem)", name: "Portugal" }), click(button("Save destination"))],
        /Parcels go to Portugal: (\S+)/,
      );
    },
    check: (site, given) => said(given, "18.40") ?? sent(site, { destination: "Portugal" }),
  },
  {
    id: "form in a frame",
    goal: "Pay the bill with the card 4000 0000 0000 0002. Report the receipt.",
    async run(agent, url) {
      await agent.open(`${url}/pay`);
      return agent.act(
        [
          fill("Card number", "4000000000000002"),
          fill("Name on card", "Ada Lovelace"),
          fill("Expires", "12/29"),
          fill("Security code", "737"),
          click(button("Pay now")),
        ],
        /Receipt (\S+?)\./,
      );
    },
    check: (site, given) =>
      said(given, "R-90210") ??
      sent(site, { card: "4000000000000002", holder: "Ada Lovelace", expires: "12/29", code: "737" }),
  },
  {
    id: "switches in shadow trees",
    goal: "Turn on text messages, large letters and wind warnings, and save.",
    async run(agent, url) {
      await agent.open(`${url}/preferences`);
      await agent.act(
        [check("Text messages"), check("Large letters"), check("Wind warnings"), click(button("Save preferences"))],
        /Saved your preferences/,
      );
    },
    check: (site) => sent(site, { mail: true, sms: true, dark: true, large: true, metric: true, wind: true }),
  },
  {
    id: "edit a list",
    goal: "Add Compass and Whistle, remove Tea, tick Flares, and save.",
    async run(agent, url) {
      await agent.open(`${url}/list`);
      await agent.act([
        fill("New item", "Compass"),
        click(button("Add item")),
        fill("New item", "Whistle"),
        click(button("Add item")),
        click(button("Remove Tea")),
      ]);
      await agent.act([check("Flares"), click(button("Save list"))], /Saved the list/);
    },
    check: (site) =>
      sent(site, { items: "Oilskins,Flares*,First aid kit,Spare halyard,Torch,Logbook,Compass,Whistle" }),
  },
  {
    id: "copy from page to page",
    goal: "Where is the parcel of order H-55120? Its page has the tracking code; the postcode is 8000.",
    async run(agent, url) {
      const code = await agent.open(`${url}/order`, /(TX-[\w-]+)/);
      await agent.act([leads(link("Find a parcel"))]);
      return agent.act(
        [fill("Tracking code", code), fill("Postcode", "8000"), click(button("Find"))],
        /It is in (\w+)/,
      );
    },
    check: (site, given) => said(given, "Aarhus") ?? sent(site, { code: "TX-7741-QK", postcode: "8000" }),
  },
  {
    id: "a fact of a long page",
    goal: "How many months does the harbour office keep records of visits?",
    run: (agent, url) => agent.find(`${url}/manual`, "Retention period", /kept for (\d+) months/),
    check: (_, given) => said(given, "26"),
  },
];
