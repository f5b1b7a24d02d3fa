/** The language that the person reads notifications in (C2): some of the 32, each by its own name. */
const languages = ['en', 'ar', 'de', 'es', 'fr', 'hi', 'ja', 'pt', 'uk', 'zh'];

export class LanguageChoice {
  #select = document.getElementById('language');

  /** `change(patch, said)` asks the server. Ends with `signal`. */
  constructor({ change, signal }) {
    this.#select.replaceChildren(new Option('As the app says', ''), ...languages.map(option));
    this.#select.addEventListener(
      'change',
      () => change({ locale: this.#select.value || null }, `Language: ${this.#select.selectedOptions[0].text}`),
      { signal },
    );
  }

  draw({ locale = '' }) {
    const isKnown = [...this.#select.options].some(({ value }) => value === locale);
    if (!isKnown) this.#select.add(option(locale));
    this.#select.value = locale;
  }
}

function option(language) {
  const made = new Option(new Intl.DisplayNames([language], { type: 'language' }).of(language), language);
  made.lang = language;
  return made;
}
