import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PreferencesModel } from './preferences-model.js';

/** A server with one document; `elsewhere` is written by another device right after the next read. */
function smallServer() {
  const server = { version: 0, choices: {}, mutes: [], elsewhere: null, patches: 0 };
  const request = async (method, path, body, headers = {}) => {
    if (path.startsWith('/v1/mutes/')) {
      server.mutes = method === 'PUT' ? [{ kind: 'actor', id: path.split('/').at(-1), until: null }] : [];
      return {};
    }
    if (path === '/v1/mutes') return { items: server.mutes };
    if (method === 'PATCH') {
      server.patches++;
      if (headers['if-match'] !== `"${server.version}"`) throw Object.assign(new Error('changed'), { status: 412 });
      if (body.locale === 'nonsense') throw Object.assign(new Error('no such language'), { status: 422 });
      return write(body);
    }
    const answer = { version: server.version, ...server.choices };
    if (server.elsewhere !== null) write(server.elsewhere);
    server.elsewhere = null;
    return answer;
  };
  const write = (change) => {
    server.version++;
    server.choices = { ...server.choices, ...change };
  };
  return { server, request };
}

test('given somebody else wrote meanwhile, then both changes are kept', async () => {
  const { server, request } = smallServer();
  const model = new PreferencesModel({ request });
  server.elsewhere = { muteAll: true };
  await model.load();
  await model.change({ locale: 'de' });
  assert.deepEqual(model.preferences, { version: 2, muteAll: true, locale: 'de' });
  assert.equal(server.patches, 2);
});

test('given two changes at once, then both are made, one after the other, and told once', async () => {
  const { server, request } = smallServer();
  const model = new PreferencesModel({ request });
  let told = 0;
  model.addEventListener('change', () => told++);
  await Promise.all([model.change({ locale: 'de' }), model.change({ timeZone: 'UTC' })]);
  assert.deepEqual(server.choices, { locale: 'de', timeZone: 'UTC' });
  assert.deepEqual([server.patches, told], [2, 1]);
});

test('given a change that is refused, then it is thrown, told, and the next one is made', async () => {
  const { server, request } = smallServer();
  const model = new PreferencesModel({ request });
  let told = 0;
  model.addEventListener('change', () => told++);
  await assert.rejects(model.change({ locale: 'nonsense' }), /no such language/);
  assert.equal(told, 1);
  await model.change({ locale: 'ar' });
  assert.equal(server.choices.locale, 'ar');
});

test('given a mute, then it is listed until it is taken back', async () => {
  const { request } = smallServer();
  const model = new PreferencesModel({ request });
  await model.mute('ana');
  assert.equal(model.isMuted('ana'), true);
  await model.unmute('ana');
  assert.equal(model.isMuted('ana'), false);
});
