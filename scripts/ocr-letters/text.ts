import { readFileSync } from "node:fs";
import { languageLines } from "../../test/fixtures/ocr/languages.ts";
import { Random } from "../../test/fixtures/ocr/random.ts";
import { vocabulary } from "../../test/fixtures/ocr/words.ts";

interface Language {
  readonly vowels: string;
  readonly consonants: string;
  /** Letters with accents, common ones more than once. */
  readonly accented: string;
}

const language = (vowels: string, consonants: string, accented: string): Language => ({ vowels, consonants, accented });
const common = "bcdfghjklmnprstvz";

/** Letters of the languages of Latin script; words are made up from them. */
const languages: readonly Language[] = [
  language("aeeiou", `${common}qx`, "éééèèêàçâîôûùëïüœæÿ"),
  language("aeeiiou", `${common}wß`, "äääöööüüüß"),
  language("aeioou", `${common}ñq`, "ááééííóóóúñññü"),
  language("aaeioou", `${common}q`, "ãããõõõçççáéíóúâêôà"),
  language("aeeiioo", common, "àààèèééììòòòùùù"),
  language("aeioy", `${common}wwł`, "ąąęęłłłóóśśśżżżźźććńńń"),
  language("aeioouy", common, "ááéíííýěěěščččřřřžžůůúťďňň"),
  language("aeioouy", common, "áéíýúôäľľĺŕšččťťďďžžňň"),
  language("aeeiou", common, "ááéééíííóóööööőőőőúüüűűű"),
  language("aeiıou", `${common}y`, "ğğğğşşşşıııııçççööüü"),
  language("aeiiou", common, "ăăăăââîîșșșțțț"),
  language("aeeiouy", common, "ååååäääöööé"),
  language("aeeiouy", common, "åååæææøøøøé"),
  language("aeiouy", common, "áðéíóúýþæö"),
  language("aeiou", common, "ččšššžžćđđđ"),
  language("aaeiiu", common, "āāēēīīūūģķļņčšž"),
  language("aeiiou", common, "ąčęėėįšųūūž"),
  language("aeiou", common, "äääõõõööüüšž"),
];

const plain = language("aeeiou", common, "e");
const capital = (word: string): string => upper(word.charAt(0)) + word.slice(1);
const upper = (text: string): string =>
  [...text].map((c) => (c === "ß" || c === "ı" || c === "ÿ" || c === "ŉ" ? c : c.toUpperCase())).join("");

/** Words that the truth set shows must not be learned. */
function forbiddenWords(): Set<string> {
  const halves = ["tuning", "held-out"] as const;
  const all = halves.flatMap((half) => [
    ...languageLines(half).flatMap(({ language: name, lines }) => [name, ...lines].join(" ").split(/[\s’']+/)),
    ...vocabulary(half).words,
    ...vocabulary(half).given,
    ...vocabulary(half).family,
  ]);
  return new Set(all.map((word) => word.toLowerCase()));
}

/** Makes up what screens say, the same for the same seed. */
export class Text {
  readonly #random: Random;
  readonly #forbidden = forbiddenWords();
  readonly #english: readonly string[];

  constructor(seed: string, dictionary: string) {
    this.#random = new Random(seed);
    this.#english = readFileSync(dictionary, "utf8")
      .split("\n")
      .map((line) => line.split("/")[0] ?? "")
      .filter((word) => /^[A-Za-z]{2,12}$/.test(word) && !this.#forbidden.has(word.toLowerCase()));
  }

  get random(): Random {
    return this.#random;
  }

  /** One line of a screen. */
  line(): string {
    const r = this.#random;
    const kind = r.next();
    if (kind < 0.55) return this.#foreign(r.pick(languages), r.int(1, 4));
    if (kind < 0.8) return this.#phrase(() => this.#word(), r.int(1, 6));
    if (kind < 0.93) return this.#code();
    return this.#figures();
  }

  #foreign(own: Language, count: number): string {
    return this.#phrase(() => this.#madeUp(own, 0.3), count);
  }

  #phrase(word: () => string, count: number): string {
    const r = this.#random;
    const style = r.next();
    const words = Array.from({ length: count }, word);
    const styled =
      style < 0.5
        ? words.map((own, i) => (i === 0 ? capital(own) : own))
        : style < 0.7
          ? words.map(capital)
          : style < 0.82
            ? words.map(upper)
            : words;
    const joined = styled.join(" ");
    const end = r.next();
    if (end < 0.06) return `${joined}:`;
    if (end < 0.12) return `${joined}.`;
    if (end < 0.15) return `${joined}...`;
    if (end < 0.18) return `${joined}?`;
    if (end < 0.2) return `“${joined}”`;
    if (end < 0.23) return `(${joined})`;
    if (end < 0.26) return `${joined} – ${r.int(1, 999)}`;
    if (end < 0.28) return joined.replace(" ", ", ");
    if (end < 0.3) return `l’${joined.toLowerCase()}`;
    if (end < 0.36) return `${joined}!`;
    if (end < 0.38) return joined.replace(" ", "! ");
    return joined;
  }

  #word(): string {
    const r = this.#random;
    if (r.chance(0.2)) return this.#madeUp(plain, 0);
    if (r.chance(0.15))
      return r.pick("the of and to in is it for on with as at by an be or if we do up no all new can".split(" "));
    return r.pick(this.#english);
  }

  #madeUp({ vowels, consonants, accented }: Language, share: number): string {
    const r = this.#random;
    for (;;) {
      const letters: string[] = [];
      const syllables = r.pick([1, 1, 2, 2, 2, 3, 3, 4]);
      const isAccent = (letter: string) => /[aeiouyæøœ]/.test(letter.normalize("NFD").charAt(0)) || letter === "ı";
      const [soft, hard] = [[...accented].filter(isAccent), [...accented].filter((letter) => !isAccent(letter))];
      const vowel = () => (soft.length > 0 && r.chance(share) ? r.pick(soft) : r.pick([...vowels]));
      const consonant = () => (hard.length > 0 && r.chance(share * 0.8) ? r.pick(hard) : r.pick([...consonants]));
      for (let i = 0; i < syllables; i++) {
        if (i > 0 || r.chance(0.8)) letters.push(consonant());
        if (r.chance(0.2)) letters.push(r.pick([..."lrnjtsk"]));
        letters.push(vowel());
        if (r.chance(0.12)) letters.push(vowel());
        if (r.chance(0.35)) letters.push(consonant());
        if (r.chance(0.06)) letters.push(letters.at(-1) ?? "");
      }
      const word = letters.join("");
      if (word.length > 1 && !this.#forbidden.has(word)) return word;
      if (word.length === 1 && soft.includes(word)) return word;
    }
  }

  #figures(): string {
    const r = this.#random;
    const two = () => String(r.int(0, 99)).padStart(2, "0");
    return r.pick([
      () => `$${r.int(1, 9999).toLocaleString("en")}.${two()}`,
      () => `${r.int(1, 99)}.${r.int(0, 9)}% ${this.#word()}`,
      () => `20${two()}-0${r.int(1, 9)}-${two()} ${two()}:${two()}`,
      () => `${r.int(1, 999)} ${r.pick(["KB", "MB", "GB", "ms", "px"])}`,
      () => `+${r.int(10, 99)} ${r.int(100, 999)} ${r.int(1000, 9999)}`,
      () => `${this.#word().slice(0, 3).toUpperCase()}-${r.int(1000, 99_999)}`,
      () => r.int(0x10_00_00, 0xff_ff_ff_f).toString(16),
      () => `v${r.int(0, 9)}.${r.int(0, 30)}.${r.int(0, 40)}`,
      () => `#${r.int(1, 9999)} ${this.#word()}`,
      () => `${r.int(1, 9)}`,
      () => `${r.int(0, 99)}`,
      () => `${r.int(1, 99)}. ${this.#word()}`,
      () => `${r.int(1, 12)}, ${r.int(1, 99)}`,
      () => `${r.int(1, 9)}/${r.int(1, 9)} (${r.int(1, 99)}%)`,
      () => r.pick([..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghkmnopqrstuvwxyz"]),
    ])();
  }

  #code(): string {
    const r = this.#random;
    const a = this.#word().toLowerCase();
    const b = this.#word();
    const c = this.#word().toLowerCase();
    return r.pick([
      () => `const ${a} = ${c}(${b});`,
      () => `if (${a} === ${r.int(0, 99)}) {`,
      () => `${a}.${c}["${b}"] += ${r.int(1, 99)};`,
      () => `import { ${a}, ${c} } from "./${a}-${c}.ts";`,
      () => `/${a}/${c}/${a}_${c}.txt`,
      () => `C:\\${b}\\${c}`,
      () => `~/${a}/${c}.md`,
      () => `${a} | ${c} --${a}=${r.int(1, 99)}`,
      () => `${a} ^ ${c} ~ ${b}`,
      () => `${a}^${r.int(2, 9)} + ~${c}`,
      () => `${a}.${c}@${a}.com`,
      () => `<${a} class='${c}'>${b}</${a}>`,
      () => `\`${a}\` and "${b}" or '${c}'`,
      () => `return ${a} && !${c} || ${r.int(0, 9)};`,
      () => `// ${a} ${b} ${c}`,
      () => `${a}@${c}:~/${b.toLowerCase()}$`,
      () => `${a}@${c}:~/${b.toLowerCase()}$ ls -l${r.int(1, 9)}`,
      () => `${a}${capital(c)}(${b}, "${a}");`,
      () => `head -${r.int(1, 19)} ${a}_${c}.txt`,
      () => `https://${a}.org/${c}?${a}=${r.int(1, 99)}`,
      () => `$ ${a} -${c.charAt(0)} ${b} > ${c}.log`,
      () => `${a} * (${c} - ${r.int(1, 9)}) / ${r.int(2, 99)} % ${a}`,
    ])();
  }
}
