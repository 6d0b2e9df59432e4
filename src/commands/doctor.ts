import type { CommandContext } from './context.ts';
export async function doctor(_context: CommandContext): Promise<number> {
  return 0;
}
