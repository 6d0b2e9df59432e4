import { alertmanagersStep } from './alertmanagers-step.ts';
import { clockStep } from './clock-step.ts';
import { endpointsStep } from './endpoints-step.ts';
import { httpStep } from './http-step.ts';
import { logonStep } from './logon-step.ts';
import { mailStep } from './mail-step.ts';
import { nameStep } from './name-step.ts';
import { sourcesStep } from './sources-step.ts';
import type { Step } from './step.ts';
import { storageStep } from './storage-step.ts';
import { tcpStep } from './tcp-step.ts';
import { tlsStep } from './tls-step.ts';
import { webStep } from './web-step.ts';
import { webhookStep } from './webhook-step.ts';

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
  webStep,
  alertmanagersStep,
  mailStep,
  webhookStep,
  sourcesStep,
];
