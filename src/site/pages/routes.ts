import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

export type Answer = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

/** What answers GET, by the path below that of the page; `/` is the page itself. */
export type Routes = Readonly<Record<string, Answer>>;

/** The routes of a page as a plugin for its path. The files of the page are read for the first request. */
export const lazyPlugin =
  (paths: readonly string[], load: () => Promise<Routes>) =>
  async (app: FastifyInstance): Promise<void> => {
    let routes: Promise<Routes> | undefined;
    for (const path of paths) {
      app.get(path, { prefixTrailingSlash: 'no-slash' }, async (request, reply) => {
        routes ??= load();
        return (await routes)[path]?.(request, reply);
      });
    }
  };
