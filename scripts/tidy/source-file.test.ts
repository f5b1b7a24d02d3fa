/** The scanner keeps code, and blanks comments, strings and regular expressions, in any nesting. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the planted code holds templates
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lineAt, sourceFile } from './source-file.ts';

const codeOf = (text: string): string => sourceFile('a.ts', text).code.replace(/ +/g, ' ').trim();

test('comments and strings are blanked, code is kept', () => {
  assert.equal(codeOf("a('x') // y\n/* z */ b"), "a(' ') \n b");
  assert.equal(codeOf(String.raw`a('it\'s', "\"") + b`), `a(' ', " ") + b`);
  assert.equal(codeOf("'// no comment' + a"), "' ' + a");
});

test('code inside templates is code', () => {
  assert.equal(codeOf('`x ${a + `y ${b}` + { c: 1 }.c} z` + d'), '` ${a + ` ${b}` + { c: 1 }.c} ` + d');
});

test('a slash divides or begins a regular expression', () => {
  assert.equal(codeOf('a / b / c'), 'a / b / c');
  assert.equal(codeOf('x.replace(/[/"]\\//g, y)'), 'x.replace(/ /g, y)');
  assert.equal(codeOf("return /'/.test(a)"), 'return / /.test(a)');
});

test('nothing moves: lengths and lines stay', () => {
  const text = "/* a\n b */ const c = `d\n${e}`; // f\n'g'";
  const file = sourceFile('a.ts', text);
  assert.equal(file.code.length, text.length);
  assert.equal(file.code.split('\n').length, text.split('\n').length);
  assert.equal(lineAt(file, text.indexOf('const')), 2);
});

test('an unfinished string, template or comment ends the scan', () => {
  for (const text of ["'abc", '`abc', '`${a', '/* abc', '/abc', '"\\'])
    assert.equal(sourceFile('a.ts', text).code.length, text.length);
});
