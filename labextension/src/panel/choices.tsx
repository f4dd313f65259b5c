import * as React from 'react';

import type { IChoice, IHearer } from '../prompts/items';

const LOOKS = { accent: 'jp-mod-accept', default: '', warn: 'jp-mod-warn' } as const;

/** The ways to go on from something that waits; those that cannot be made yet are not to be pressed. */
export function Choices(props: {
  hearer: IHearer;
  choices: readonly IChoice[];
  /** What they are about, for who does not see where they stand. */
  about: string;
}): JSX.Element {
  const { hearer, choices, about } = props;
  return (
    <>
      {choices.map(({ name, label, look, choose, may }) => (
        <button
          key={name}
          type="button"
          className={`jp-mod-styled ${LOOKS[look]}`}
          aria-label={`${label} ${about}`}
          disabled={!may(hearer)}
          onClick={() => choose(hearer)}
        >
          {label}
        </button>
      ))}
    </>
  );
}
