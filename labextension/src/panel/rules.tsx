import * as React from 'react';

import type { AgentKernel } from '../kernels/kernel';
import { IRule, readRules, textIn, useReport, wordsOf } from './reports';
import { Folded } from './section';

const BEHAVIORS = ['allow', 'ask', 'deny'];

/** The rules with where they come from; those of the session can be added and taken away here. */
export function RulesSection(props: { kernel: AgentKernel; rights: number }): JSX.Element {
  return <Folded title="Rules">{open => <Rules {...props} open={open} />}</Folded>;
}

function Rules(props: { kernel: AgentKernel; rights: number; open: boolean }): JSX.Element {
  const { kernel, rights, open } = props;
  const told = useReport(kernel, 'rules', rights, open);
  const [checked, setChecked] = React.useState(false);
  const check = textIn(useReport(kernel, 'check', rights, open && checked), 'text');
  if (told === null) {
    return <p className="jp-AgentPanel-note">…</p>;
  }
  const rules = readRules(told);
  return (
    <>
      {textIn(told, 'problem') && <p role="alert">{textIn(told, 'problem')}</p>}
      {rules.length ? (
        <ul>
          {rules.map((rule, at) => (
            <RuleView key={at} kernel={kernel} rule={rule} />
          ))}
        </ul>
      ) : (
        <p className="jp-AgentPanel-note">There are no rules.</p>
      )}
      <AddRule kernel={kernel} />
      <button type="button" className="jp-mod-styled" onClick={() => setChecked(true)}>
        Check the rules
      </button>
      {checked && (
        <pre className="jp-AgentPanel-text" role="status">
          {check || '…'}
        </pre>
      )}
    </>
  );
}

function RuleView(props: { kernel: AgentKernel; rule: IRule }): JSX.Element {
  const { kernel, rule } = props;
  return (
    <li className="jp-AgentPanel-rule" data-behavior={rule.behavior}>
      <div className="jp-AgentPanel-row">
        <span>
          <span className="jp-AgentPanel-behavior">{rule.behavior}</span> <code>{rule.text}</code>
        </span>
        {rule.session && (
          <button
            type="button"
            className="jp-mod-styled jp-mod-minimal"
            aria-label={`Remove ${rule.behavior} ${rule.text}`}
            onClick={() => kernel.command('rule', { action: 'remove', rule: rule.text })}
          >
            Remove
          </button>
        )}
      </div>
      <p className="jp-AgentPanel-note">{[rule.from, rule.note].filter(Boolean).join(' · ')}</p>
    </li>
  );
}

function AddRule(props: { kernel: AgentKernel }): JSX.Element {
  const [action, setAction] = React.useState('allow');
  const [rule, setRule] = React.useState('');
  const [problem, setProblem] = React.useState('');
  const isOut = React.useRef(false);
  const add = async (event: React.FormEvent): Promise<void> => {
    event.preventDefault();
    if (!rule.trim() || isOut.current) {
      return;
    }
    isOut.current = true;
    setProblem('');
    try {
      await props.kernel.request('rule', { action, rule });
      setRule(now => (now === rule ? '' : now)); // what was refused, or written meanwhile, stays
    } catch (reason) {
      setProblem(wordsOf(reason));
    }
    isOut.current = false;
  };
  return (
    <form className="jp-AgentPanel-form" onSubmit={event => void add(event)}>
      <select
        className="jp-mod-styled"
        aria-label="What the new rule does"
        value={action}
        onChange={event => setAction(event.target.value)}
      >
        {BEHAVIORS.map(behavior => (
          <option key={behavior}>{behavior}</option>
        ))}
      </select>
      <input
        className="jp-mod-styled"
        aria-label="A new rule for this session"
        placeholder="Bash(git status *)"
        spellCheck={false}
        value={rule}
        onChange={event => setRule(event.target.value)}
      />
      <button type="submit" className="jp-mod-styled">
        Add
      </button>
      {problem && <p role="alert">{problem}</p>}
    </form>
  );
}
