import * as React from 'react';

import { IChoice, IHearer, LOOKS } from '../prompts/items';

/**
 * The ways to go on from something that waits; those that cannot be made yet are not to be pressed. They are not
 * disabled in earnest: a button that is loses the focus.
 */
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
          aria-disabled={!may(hearer)}
          onClick={() => may(hearer) && choose(hearer)}
        >
          {label}
        </button>
      ))}
    </>
  );
}
