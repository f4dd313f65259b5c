import * as React from 'react';

import type { IWaiting } from '../prompts/waiting';
import type { IAgentWaiting } from '../tokens';
import { Choices } from './choices';
import { Section } from './section';

/** What waits in other notebooks than the current one; nothing where nothing does. */
export function Elsewhere(props: {
  waiting: IAgentWaiting;
  items: readonly IWaiting[];
}): JSX.Element | null {
  const { waiting, items } = props;
  return items.length ? (
    <Section title="Waiting in other notebooks" count={items.length} none="">
      {items.map(each => (
        <ItemView key={each.item.key} waiting={waiting} told={each} />
      ))}
    </Section>
  ) : null;
}

function ItemView(props: { waiting: IAgentWaiting; told: IWaiting }): JSX.Element {
  const { waiting, told } = props;
  const { kernel, panel, item } = told;
  const name = `${item.head}: ${item.title}`;
  return (
    <li className="jp-AgentPanel-question">
      <strong>{item.head}</strong> <code>{item.title}</code>
      <p className="jp-AgentPanel-note">in {panel.context.path}</p>
      <div className="jp-AgentPanel-buttons">
        <button
          type="button"
          className="jp-mod-styled"
          aria-label={`${item.show} ${name}`}
          onClick={() => waiting.reveal(told)}
        >
          {item.show}
        </button>
        <Choices hearer={kernel} choices={item.choices} about={name} />
      </div>
    </li>
  );
}
