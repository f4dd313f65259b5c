import * as React from 'react';

/** A list with its name, how long it is, and what is said when it is empty. */
export function Section(props: {
  title: string;
  count: number;
  none: string;
  children: React.ReactNode;
}): JSX.Element {
  return (
    <section aria-label={props.title}>
      <h3>
        {props.title}{' '}
        {props.count > 0 && <span className="jp-AgentPanel-count">{props.count}</span>}
      </h3>
      {props.count > 0 ? (
        <ul>{props.children}</ul>
      ) : (
        <p className="jp-AgentPanel-note">{props.none}</p>
      )}
    </section>
  );
}

/** The beginning of a text, cut at a word, where it is clearly longer than `chars`. */
export function shortened(text: string, chars: number): string {
  const all = [...text]; // half of a pair is never cut off
  if (all.length <= chars * 1.2) {
    return text;
  }
  const cut = all.slice(0, chars).join('');
  const end = cut.lastIndexOf(' ');
  return `${end > cut.length / 2 ? cut.slice(0, end) : cut}…`;
}

/** A section that is closed until a person wants to look at it. */
export function Folded(props: {
  title: string;
  children: (open: boolean) => React.ReactNode;
}): JSX.Element {
  const [open, setOpen] = React.useState(false);
  return (
    <details
      className="jp-AgentPanel-folded"
      onToggle={event => setOpen((event.target as HTMLDetailsElement).open)}
    >
      <summary>{props.title}</summary>
      <section aria-label={props.title}>{props.children(open)}</section>
    </details>
  );
}
