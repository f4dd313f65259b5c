import * as React from 'react';

import type { AgentKernel } from '../kernels/kernel';
import { textIn, useReport } from './reports';

/** The plan that the agent writes while it may only read. */
export function PlanSection(props: {
  kernel: AgentKernel;
  path: string;
  history: number;
}): JSX.Element {
  const { kernel, path, history } = props;
  const text = textIn(useReport(kernel, 'plan', `${path} ${history}`, true), 'text');
  return (
    <section aria-label="Plan">
      <h3>Plan</h3>
      {text ? (
        <pre className="jp-AgentPanel-text" tabIndex={0}>
          {text}
        </pre>
      ) : (
        <p className="jp-AgentPanel-note">Nothing is planned yet.</p>
      )}
      <p className="jp-AgentPanel-note">
        Kept in <code>{path}</code>
      </p>
    </section>
  );
}
