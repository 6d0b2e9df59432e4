const MAPPED = /^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i;

/** The address of a peer as the log and the limits name it: an IPv4 address that arrives as IPv6 is the IPv4 address. */
export const peerAddress = (remoteAddress = ''): string => remoteAddress.replace(MAPPED, '');

/** The first four groups of an IPv6 address. */
function prefixOf(address: string): string {
  const [head = '', tail] = (address.split('%', 1)[0] ?? '').split('::', 2);
  const groupsOf = (text: string): string[] => (text === '' ? [] : text.split(':'));
  const [before, after] = [groupsOf(head), groupsOf(tail ?? '')];
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  return [...before, ...Array<string>(zeros).fill('0'), ...after].slice(0, 4).join(':');
}

/** The network that an address belongs to: /24 of IPv4, /64 of IPv6. */
export const networkOf = (address: string): string =>
  address.includes(':') ? `${prefixOf(address)}::/64` : `${address.split('.').slice(0, 3).join('.')}.0/24`;

/** The key of a limit per address: the /64 of an IPv6 address, because one host can use all of it. */
export const holderOf = (address: string): string => (address.includes(':') ? networkOf(address) : address);

/** Whether it is the address with which programs of this host connect to it. */
export const isLoopback = (address: string): boolean => address === '127.0.0.1' || address === '::1';
