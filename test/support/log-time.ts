/** Times as logs of license managers have them, in UTC. */

/** `16:05:09`. @param at epoch seconds */
export const logClock = (at: number): string => new Date(at * 1000).toISOString().slice(11, 19);

/** `11/30/2026`. @param at epoch seconds */
export const logDate = (at: number): string => {
  const [year, month, date] = new Date(at * 1000).toISOString().slice(0, 10).split('-');
  return `${month}/${date}/${year}`;
};
