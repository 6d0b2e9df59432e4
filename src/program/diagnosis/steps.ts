import { archiveStep } from './archive-step.ts';
import { clockStep } from './clock-step.ts';
import { alertmanagersStep, mailStep, webhookStep } from './delivery-steps.ts';
import { endpointsStep } from './endpoints-step.ts';
import { httpStep } from './http-step.ts';
import { logonStep } from './logon-step.ts';
import { nameStep, tcpStep } from './network-steps.ts';
import { bad, good, type Step } from './step.ts';
import { storageStep } from './storage-step.ts';
import { tlsStep } from './tls-step.ts';
import { webStep } from './web-step.ts';

/** Whether each license manager can be read, and completely. */
const sourcesStep: Step = {
  name: 'sources',
  exit: 'sources',
  needs: [],
  applies: ({ kind }) => kind === 'own',
  check: async ({ sources }) => {
    const down = sources.filter(({ up }) => up !== true);
    const count = `${sources.length - down.length} of ${sources.length} were read completely`;
    const [first] = down;
    if (first === undefined) return good(count);
    const [problem] = first.problems;
    const why = problem === undefined ? 'it was not read' : `${problem.kind}: ${problem.message}`;
    return bad(
      `${first.name}: ${why}`,
      ...(down.length === 1 ? [] : [`${down.length - 1} more failed; see the table below`]),
    );
  },
};

/** The steps after the configuration, in their order: each can only work if those before it do. */
export const steps: readonly Step[] = [
  nameStep,
  tcpStep,
  tlsStep,
  httpStep,
  logonStep,
  endpointsStep,
  clockStep,
  storageStep,
  archiveStep,
  webStep,
  alertmanagersStep,
  mailStep,
  webhookStep,
  sourcesStep,
];
