import type { Role } from "../base/roles.ts";
import type { Locator } from "./locator.ts";
import {
  byLabel,
  byPlaceholder,
  byRole,
  byTestId,
  byText,
  pathOf,
  type NameOptions,
  type Path,
  type RoleOptions,
} from "./path.ts";

/** Something in which elements are found: an app, a window, a page, a device, or another element. */
export abstract class Scope {
  /** @internal */
  protected abstract find(path: Path): Locator;

  /** Elements of a role, e.g. `getByRole("button", { name: "Save" })`. Roles have the same names on every platform. */
  getByRole(role: Role | (string & {}), options: RoleOptions = {}): Locator {
    return this.find(byRole(role, options));
  }

  /** Elements that show a text: in their name, value or description, or, if none has it, in the picture. */
  getByText(text: string, options: NameOptions = {}): Locator {
    return this.find(byText(text, options));
  }

  /** Fields, check boxes and the like by the name of their label. */
  getByLabel(label: string, options: NameOptions = {}): Locator {
    return this.find(byLabel(label, options));
  }

  /** Fields by what they show while they are empty. */
  getByPlaceholder(text: string, options: NameOptions = {}): Locator {
    return this.find(byPlaceholder(text, options));
  }

  /** Elements by the programmer's name for them: an automation id, the id attribute in a page, a resource id. */
  getByTestId(id: string): Locator {
    return this.find(byTestId(id));
  }

  /** Elements by a selector, e.g. `Dialog[name~=Save] > Button:OK` or `Row:has("Ann") > CheckBox[!checked]`. */
  locator(selector: string): Locator {
    return this.find(pathOf(selector));
  }
}
