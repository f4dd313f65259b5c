import { Dialog, showDialog } from '@jupyterlab/apputils';
import { JSONObject, JSONValue } from '@lumino/coreutils';
import * as React from 'react';

import type { AgentKernel } from '../kernels/kernel';
import { ISession, ISessions, plain, readSessions, sessionsWords } from './entries';
import { Marked, More, SearchField, useSearch, WalkedList } from './found';
import { EntryHead, Excerpt, History } from './history';
import { isForOther, textIn, useAsked, useSettled, waitingWords, wordsOf } from './reports';
import { Folded } from './section';

/** The list is read again once nothing has happened in the session for so long. */
const QUIET_MS = 500;

/** What a session is exported as. */
const FORMATS = [
  { format: 'html', name: 'HTML' },
  { format: 'markdown', name: 'Markdown' }
] as const;

interface ISectionProps {
  kernel: AgentKernel;
  /** The one of the kernel, and a number that is another one when something happened in it. */
  session: string;
  stamp: number;
}

/** The sessions of the project, or all of them: searched, read, exported, gone on with. */
export function SessionsSection(props: ISectionProps): JSX.Element {
  return <Folded title="Sessions">{open => <Sessions {...props} open={open} />}</Folded>;
}

function Sessions(props: ISectionProps & { open: boolean }): JSX.Element {
  const { kernel, session, stamp, open } = props;
  const search = useSearch();
  const [everywhere, setEverywhere] = React.useState(false);
  const [round, setRound] = React.useState(0);
  const list = React.useRef<HTMLUListElement>(null);
  const now = useSettled(`${session} ${stamp}`, QUIET_MS);
  const wanted = { query: search.query, limit: search.limit, everywhere };
  const asked = useAsked(kernel, 'sessions', wanted, `${now} ${round}`, open);
  const told = readSessions(asked.told);
  const query = textIn(asked.args, 'query');
  const isAll = asked.args.everywhere === true;
  const isOther = isForOther(asked, { query: search.written.trim(), everywhere });
  React.useEffect(() => {
    if (told.left > 0) {
      setRound(before => before + 1); // a search goes on where the kernel left off
    }
  }, [asked.told]);
  return (
    <>
      <SearchField label="Search all sessions" search={search} list={list} />
      <label className="jp-AgentPanel-choice">
        <input
          type="checkbox"
          checked={everywhere}
          onChange={event => setEverywhere(event.target.checked)}
        />{' '}
        Those of other folders too
      </label>
      <p className="jp-AgentPanel-note" role="status">
        {isOther ? waitingWords(asked, search.written) : sessionsWords(told, query)}
        {!isOther && !isAll && (
          <>
            {' '}
            of <code>{told.project}</code>
          </>
        )}
      </p>
      {asked.problem && <p role="alert">{asked.problem}</p>}
      {!isOther && <Missing told={told} isAll={isAll} />}
      {!isOther && told.sessions.length > 0 && (
        <WalkedList label="Sessions" list={list} isBusy={asked.isBusy}>
          {told.sessions.map(each => (
            <SessionItem key={each.id} kernel={kernel} told={each} query={query} stamp={now} />
          ))}
        </WalkedList>
      )}
      {!isOther && <More shown={told.sessions.length} found={told.found} search={search} />}
    </>
  );
}

/** What is not in the list, and why. */
function Missing(props: { told: ISessions; isAll: boolean }): JSX.Element {
  const { told, isAll } = props;
  return (
    <>
      {told.unlisted > 0 && (
        <p className="jp-AgentPanel-note">
          There was no time to look at {told.unlisted} older sessions.{' '}
          <code>list_sessions(budget_s=60)</code> in a cell looks at them.
        </p>
      )}
      {told.total === 0 && (
        <p className="jp-AgentPanel-note">
          No session of {isAll ? 'yours' : 'this folder'} is on disk yet.
        </p>
      )}
    </>
  );
}

interface IItemProps {
  kernel: AgentKernel;
  told: ISession;
  query: string;
  stamp: string;
}

function SessionItem(props: IItemProps & { tabIndex?: number }): JSX.Element {
  const { kernel, told, query, stamp, tabIndex } = props;
  const [open, setOpen] = React.useState(false);
  const title = plain(told.title);
  return (
    <li className="jp-AgentPanel-session" tabIndex={tabIndex} aria-current={told.current}>
      <SessionHead told={told} />
      {told.first && !open && (
        <>
          <p className="jp-AgentPanel-note">
            Found in {told.count.toLocaleString('en-US')} {told.count === 1 ? 'entry' : 'entries'}
            {told.count > 1 && ', the first of them'}:
          </p>
          <EntryHead entry={told.first} />
          <Excerpt entry={told.first} />
        </>
      )}
      <div className="jp-AgentPanel-buttons">
        <button
          type="button"
          className="jp-mod-styled"
          tabIndex={tabIndex}
          aria-expanded={open}
          aria-label={`${open ? 'Close' : 'Read'} ${title}`}
          onClick={() => setOpen(!open)}
        >
          {open ? 'Close' : 'Read'}
        </button>
        <SessionActions kernel={kernel} told={told} tabIndex={tabIndex} />
      </div>
      {open && (
        <section className="jp-AgentPanel-transcript" aria-label={`Transcript of ${title}`}>
          <History
            key={query}
            kernel={kernel}
            session={told.id}
            order="first"
            stamp={told.current ? stamp : 0}
            open={true}
            label={`Transcript of ${title}`}
            none="Nothing was said or called in it."
            query={query}
          />
        </section>
      )}
    </li>
  );
}

function SessionHead(props: { told: ISession }): JSX.Element {
  const { told } = props;
  const calls = `${told.calls.toLocaleString('en-US')} ${told.calls === 1 ? 'call' : 'calls'}`;
  return (
    <>
      <strong>
        <Marked pieces={told.title} />
      </strong>{' '}
      {told.current && <span className="jp-AgentPanel-count">this one</span>}
      {told.running && !told.current && (
        <span className="jp-AgentPanel-count">runs in another kernel</span>
      )}
      <p className="jp-AgentPanel-note">
        <time dateTime={new Date(told.time).toISOString()} title={new Date(told.time).toString()}>
          {told.when}
        </time>
        {` · ${calls} · `}
        <code>
          <Marked pieces={told.short} />
        </code>
        {plain(told.model) && (
          <>
            {' · '}
            <Marked pieces={told.model} />
          </>
        )}
        {plain(told.folder) && (
          <>
            {' · '}
            <code>
              <Marked pieces={told.folder} />
            </code>
          </>
        )}
      </p>
    </>
  );
}

/** What came of a press: in words, and whether it went wrong. */
interface IOutcome {
  lines: string[];
  failed: boolean;
}

function SessionActions(props: {
  kernel: AgentKernel;
  told: ISession;
  tabIndex?: number;
}): JSX.Element {
  const { kernel, told, tabIndex } = props;
  const title = plain(told.title);
  const { outcome, run } = useOutcome(kernel, told.id);
  const resume = async (): Promise<void> => {
    if (await isResumeWanted(title)) {
      await run('resume', {}, linesIn);
    }
  };
  const write = (format: string) => () =>
    void run('export', { format }, data => [`Written to ${textIn(data, 'path')}`]);
  return (
    <>
      {!told.current && (
        <button
          type="button"
          className="jp-mod-styled"
          tabIndex={tabIndex}
          aria-label={`Resume ${title}`}
          onClick={() => void resume()}
        >
          Resume here
        </button>
      )}
      {FORMATS.map(({ format, name }) => (
        <button
          key={format}
          type="button"
          className="jp-mod-styled"
          tabIndex={tabIndex}
          aria-label={`Export ${title} as ${name}`}
          onClick={write(format)}
        >
          Export {name}
        </button>
      ))}
      {outcome && <Outcome outcome={outcome} />}
    </>
  );
}

/** Asks the person, as it ends a conversation. */
async function isResumeWanted(title: string): Promise<boolean> {
  const answer = await showDialog({
    title: 'Resume this session here?',
    body:
      `“${title}” takes the place of the conversation of this kernel, which stays on disk. ` +
      'Files stay as they are, and rights do not become wider.',
    buttons: [Dialog.cancelButton(), Dialog.okButton({ label: 'Resume' })]
  });
  return answer.button.accept;
}

type Run = (name: string, args: JSONObject, words: (data: JSONValue) => string[]) => Promise<void>;

/** Has the kernel run commands for a session; with what came of the last one. */
function useOutcome(kernel: AgentKernel, session: string): { outcome: IOutcome | null; run: Run } {
  const [outcome, setOutcome] = React.useState<IOutcome | null>(null);
  const run: Run = async (name, args, words) => {
    setOutcome({ lines: ['…'], failed: false });
    try {
      const data = await kernel.request(name, { session, ...args });
      setOutcome({ lines: words(data), failed: false });
    } catch (reason) {
      setOutcome({ lines: [wordsOf(reason)], failed: true });
    }
  };
  return { outcome, run };
}

function Outcome({ outcome }: { outcome: IOutcome }): JSX.Element {
  return (
    <div className="jp-AgentPanel-outcome" role={outcome.failed ? 'alert' : 'status'}>
      {outcome.lines.map((line, at) => (
        <p key={at}>{line}</p>
      ))}
    </div>
  );
}

/** The lines that the kernel tells after it has resumed a session. */
function linesIn(data: JSONValue): string[] {
  const lines =
    typeof data === 'object' && data !== null && !Array.isArray(data) ? data.lines : null;
  return Array.isArray(lines) ? lines.map(String) : [];
}
