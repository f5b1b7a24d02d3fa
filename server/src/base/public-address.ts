/** Which addresses of the network are public (S5): not of this machine, of a private network, or set apart by IANA. */
import { BlockList, isIP } from 'node:net';

/** IANA's registries of special-purpose addresses. What carries an IPv4 address within is refused whatever that one is. */
const apart = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
  ...['224.0.0.0/4', '240.0.0.0/4', '::/96', '::ffff:0:0/96', '64:ff9b::/96', '64:ff9b:1::/48', '100::/64'],
  ...[
    '2001::/23',
    '2001:db8::/32',
    '2002::/16',
    '3fff::/20',
    '5f00::/16',
    'fc00::/7',
    'fe80::/10',
    'fec0::/10',
    'ff00::/8',
  ],
];

/** Apart, since a list of both takes an IPv4 address for one of IPv6. */
const blocked = { ipv4: new BlockList(), ipv6: new BlockList() };
for (const range of apart) {
  const [network = '', bits] = range.split('/');
  const family = network.includes(':') ? 'ipv6' : 'ipv4';
  blocked[family].addSubnet(network, Number(bits), family);
}

export function isPublicAddress(address: string): boolean {
  const plain = address.split('%')[0] as string;
  const version = isIP(plain);
  const family = version === 6 ? 'ipv6' : 'ipv4';
  return version !== 0 && !blocked[family].check(plain, family);
}
