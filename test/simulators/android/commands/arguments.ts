import type { App } from "../screen/app.ts";

export const fullName = (app: App): string =>
  app.activity.startsWith(".") ? `${app.package}${app.activity}` : app.activity;
export const component = (app: App): string => {
  const name = fullName(app);
  return `${app.package}/${name.startsWith(`${app.package}.`) ? name.slice(app.package.length) : name}`;
};

/** The value after an option. */
export const after = (args: readonly string[], option: string): string | undefined => {
  const index = args.indexOf(option);
  return index < 0 ? undefined : args[index + 1];
};
