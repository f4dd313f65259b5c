import * as React from 'react';

import type { AgentKernel } from '../kernels/kernel';
import { useReport } from './reports';
import { found, IPastCall, pieces, readCalls } from './search';
import { Folded } from './section';

/** What the session has called so far, the latest first, and a search in it. */
export function CallsSection(props: { kernel: AgentKernel; calls: number }): JSX.Element {
  return <Folded title="Past calls">{open => <Calls {...props} open={open} />}</Folded>;
}

function Calls(props: { kernel: AgentKernel; calls: number; open: boolean }): JSX.Element {
  const told = useReport(props.kernel, 'calls', props.calls, props.open);
  const [query, setQuery] = React.useState('');
  if (told === null) {
    return <p className="jp-AgentPanel-note">…</p>;
  }
  const calls = readCalls(told);
  const shown = found(calls, query);
  return (
    <>
      <input
        type="search"
        className="jp-mod-styled jp-AgentPanel-search"
        aria-label="Search past calls"
        placeholder="Search"
        value={query}
        onChange={event => setQuery(event.target.value)}
      />
      <p className="jp-AgentPanel-note" role="status">
        {query.trim() ? `${shown.length} of ${calls.length}` : `${calls.length}`} calls
      </p>
      <ul>
        {shown.map(call => (
          <CallView key={call.id} call={call} query={query} />
        ))}
      </ul>
    </>
  );
}

function CallView(props: { call: IPastCall; query: string }): JSX.Element {
  const { call, query } = props;
  const marked = (text: string): React.ReactNode =>
    pieces(text, query).map(([piece, hit], at) => (hit ? <mark key={at}>{piece}</mark> : piece));
  return (
    <li>
      <strong>{marked(call.tool)}</strong> <code>{marked(call.title)}</code> {marked(call.status)}
      <pre className="jp-AgentPanel-text" tabIndex={0}>
        {marked(call.text)}
      </pre>
    </li>
  );
}
