/** A self-signed certificate for one host name, for tests: what Amazon serves, made here. */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

export interface TestCertificate {
  readonly pem: string;
  readonly privateKey: KeyObject;
}

const sha256WithRsa = der(0x30, [der(0x06, [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0b]), der(0x05, [])]);

export function testCertificate(host: string, from = '20200101000000Z', to = '20990101000000Z'): TestCertificate {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const commonName = der(0x30, [der(0x06, [0x55, 0x04, 0x03]), der(0x0c, Buffer.from(host))]);
  const name = der(0x30, [der(0x31, [commonName])]);
  const alternative = der(0x30, [der(0x82, Buffer.from(host))]);
  const extension = der(0x30, [der(0x06, [0x55, 0x1d, 0x11]), der(0x04, alternative)]);
  const signed = der(0x30, [
    der(0xa0, [der(0x02, [2])]),
    der(0x02, [1]),
    sha256WithRsa,
    name,
    der(0x30, [der(0x18, Buffer.from(from)), der(0x18, Buffer.from(to))]),
    name,
    publicKey.export({ format: 'der', type: 'spki' }),
    der(0xa3, [der(0x30, [extension])]),
  ]);
  const signature = der(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', signed, privateKey)]));
  const text = der(0x30, [signed, sha256WithRsa, signature]).toString('base64').replace(/.{64}/g, '$&\n');
  return { pem: `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`, privateKey };
}

/** Tag, length and content of one element; content as bytes or as elements. */
function der(tag: number, content: Buffer | readonly (number | Buffer)[]): Buffer {
  const body = Buffer.isBuffer(content)
    ? content
    : Buffer.concat(content.map((each) => (typeof each === 'number' ? Buffer.from([each]) : each)));
  const { length } = body;
  const head = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...head]), body]);
}
