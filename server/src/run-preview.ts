/** `carillon preview`: the words of a type, as lines for a terminal or as JSON. */
import type { Config } from './base/config-schema.ts';
import { Content } from './content/content.ts';
import { type PreviewRequest, preview } from './content/preview.ts';
import { readCatalogue } from './content/read-catalogue.ts';

export function runPreview({ content: settings }: Config, request: PreviewRequest, isJson: boolean): string[] {
  const shown = preview(new Content(readCatalogue(settings)), request);
  if (isJson) return [JSON.stringify(shown, null, 2)];
  const lines = [`${shown.type} · ${shown.channel} · ${shown.locale} (${shown.direction}) · ${shown.templateVersion}`];
  for (const { people, title, body, actions } of shown.samples) {
    lines.push('', `${people} ${people === 1 ? 'person' : 'people'}`, `  ${title}`, ...indented(body));
    for (const { label, url } of actions) lines.push(`  [${label}] ${url}`);
  }
  return lines;
}

function indented(text: string): string[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => `  ${line}`.trimEnd());
}
