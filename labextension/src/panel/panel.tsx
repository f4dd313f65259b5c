import { ReactWidget } from '@jupyterlab/apputils';
import { INotebookTracker } from '@jupyterlab/notebook';
import * as React from 'react';

import { agentIcon } from '../icon';
import type { AgentKernel } from '../kernels/kernel';
import { itemOf, ofStep } from '../prompts/items';
import { IPlace, IQuestion, ISessionState, IStep, ITodo, readState } from '../state';
import { IAgentKernels, IAgentWaiting } from '../tokens';
import { Choices } from './choices';
import { Elsewhere } from './elsewhere';
import { HistorySection } from './history';
import { PlanSection } from './plan';
import { RulesSection } from './rules';
import { Section, shortened } from './section';
import { SessionsSection } from './sessions';

/** So much of why a question is asked is shown at first. */
const REASON_CHARS = 160;

/** What the session of the current notebook's kernel does, and what it waits for. */
export class AgentPanel extends ReactWidget {
  /**
   * @param waiting - what waits in all notebooks.
   * @param showTrace - shows the trace of a cell.
   */
  constructor(
    private readonly kernels: IAgentKernels,
    private readonly notebooks: INotebookTracker,
    private readonly waiting: IAgentWaiting | null,
    private readonly showTrace: (place: IPlace) => void
  ) {
    super();
    this.id = 'jupyter-agenttools-panel';
    this.title.icon = agentIcon;
    this.title.caption = 'Agent tools';
    this.addClass('jp-AgentPanel');
    this.node.setAttribute('role', 'region');
    this.node.setAttribute('aria-label', 'Agent tools');
    kernels.changed.connect(() => this.update());
    notebooks.currentChanged.connect(() => this.update());
  }

  protected render(): JSX.Element {
    const panel = this.notebooks.currentWidget;
    const kernel = panel && this.kernels.of(panel);
    const others =
      this.waiting?.all().filter(each => each.kernel.kernel.id !== kernel?.kernel.id) ?? [];
    return (
      <>
        {this.renderCurrent(kernel)}
        {this.waiting && <Elsewhere waiting={this.waiting} items={others} />}
      </>
    );
  }

  private renderCurrent(kernel: AgentKernel | null): JSX.Element {
    if (!kernel) {
      return (
        <p className="jp-AgentPanel-note">
          Nothing of jupyter_agenttools runs in this notebook. Start it in a cell with{' '}
          <code>%load_ext jupyter_agenttools</code>
        </p>
      );
    }
    const state = readState(kernel.state);
    if (!state.session) {
      return (
        <p className="jp-AgentPanel-note">
          Loaded. The session begins with the first %tool or %%agent.
        </p>
      );
    }
    const { session, history } = state;
    return (
      <>
        <SessionView
          key={session}
          kernel={kernel}
          state={state}
          showTrace={this.showTrace}
          waiting={this.waiting}
        />
        <SessionsSection key={kernel.kernel.id} kernel={kernel} session={session} stamp={history} />
      </>
    );
  }
}

interface IViewProps {
  kernel: AgentKernel;
  state: ISessionState;
}

function SessionView(
  props: IViewProps & {
    showTrace: (place: IPlace) => void;
    waiting: IAgentWaiting | null;
  }
): JSX.Element {
  const { kernel, state, showTrace, waiting } = props;
  return (
    <>
      <header>
        <ModeChoice kernel={kernel} state={state} />
        <p className="jp-AgentPanel-note">
          Session <code>{state.session}</code> in <code>{state.cwd}</code>;{' '}
          {state.calls.toLocaleString('en-US')} {state.calls === 1 ? 'call' : 'calls'} in this
          kernel
        </p>
      </header>
      <Section
        title="Waiting for you"
        count={state.waiting.length + state.steps.length}
        none="No question is open."
      >
        {state.steps.map(step => (
          <StepLine key={step.id} kernel={kernel} step={step} showTrace={showTrace} />
        ))}
        {state.waiting.map(question => (
          <QuestionView key={question.id} kernel={kernel} question={question} waiting={waiting} />
        ))}
      </Section>
      <Running kernel={kernel} state={state} />
      <Jobs kernel={kernel} state={state} />
      <Section title="To do" count={state.todos.length} none="The agent has no list.">
        {state.todos.map((todo, at) => (
          <TodoView key={at} todo={todo} />
        ))}
      </Section>
      {state.plan && <PlanSection kernel={kernel} path={state.plan} history={state.history} />}
      <RulesSection kernel={kernel} rights={state.rights} />
      <HistorySection kernel={kernel} stamp={state.history} />
    </>
  );
}

function Running({ kernel, state }: IViewProps): JSX.Element {
  return (
    <Section title="Running" count={state.running.length} none="No call runs.">
      {state.running.map(call => (
        <li key={call.id}>
          <strong>{call.tool}</strong> <code>{call.title}</code>
        </li>
      ))}
      {state.running.length > 0 && (
        <li>
          <button
            type="button"
            className="jp-mod-styled jp-mod-warn"
            onClick={() => kernel.command('stop')}
          >
            Stop all
          </button>
        </li>
      )}
    </Section>
  );
}

function Jobs({ kernel, state }: IViewProps): JSX.Element {
  return (
    <Section
      title="In the background"
      count={state.jobs.length}
      none="No command runs in the background."
    >
      {state.jobs.map(job => (
        <li key={job.id} className="jp-AgentPanel-row">
          <span>
            <code>{job.id}</code> {job.title}
          </span>
          <button
            type="button"
            className="jp-mod-styled jp-mod-minimal"
            aria-label={`Stop ${job.id}`}
            onClick={() => kernel.command('stop-job', { id: job.id })}
          >
            Stop
          </button>
        </li>
      ))}
    </Section>
  );
}

function ModeChoice({ kernel, state }: IViewProps): JSX.Element {
  const modes = state.modes.includes(state.mode) ? state.modes : [state.mode, ...state.modes];
  return (
    <label className="jp-AgentPanel-mode">
      Mode{' '}
      <select
        className="jp-mod-styled"
        value={state.mode}
        onChange={event => kernel.command('mode', { mode: event.target.value })}
      >
        {modes.map(mode => (
          <option key={mode}>{mode}</option>
        ))}
      </select>
    </label>
  );
}

function QuestionView(props: {
  kernel: AgentKernel;
  question: IQuestion;
  waiting: IAgentWaiting | null;
}): JSX.Element {
  const { kernel, question, waiting } = props;
  const name = `${question.tool} ${question.title}`;
  const { choices } = itemOf(question);
  return (
    <li className="jp-AgentPanel-question">
      <strong>{question.tool}</strong> <code>{question.title}</code>
      <Reason text={question.reason} />
      <div className="jp-AgentPanel-buttons">
        {!choices.some(each => each.name === 'allow') && waiting && (
          <button
            type="button"
            className="jp-mod-styled"
            aria-label={`Show ${name}`}
            onClick={() => waiting.revealKey(question.id)}
          >
            Show
          </button>
        )}
        <Choices hearer={kernel} choices={choices} about={name} />
      </div>
    </li>
  );
}

/** Why it asks: the beginning, and all of it for whoever wants to read it. */
function Reason(props: { text: string }): JSX.Element {
  const { text } = props;
  const [open, setOpen] = React.useState(false);
  const short = shortened(text, REASON_CHARS);
  return (
    <p className="jp-AgentPanel-note">
      {open ? text : short}
      {short !== text && (
        <button
          type="button"
          className="jp-mod-styled jp-mod-minimal"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          {open ? 'Show less' : 'Show all of it'}
        </button>
      )}
    </p>
  );
}

function StepLine(props: {
  kernel: AgentKernel;
  step: IStep;
  showTrace: (place: IPlace) => void;
}): JSX.Element {
  const { kernel, step, showTrace } = props;
  const { choices, show } = ofStep(step);
  const name = `${step.tool} ${step.title}`;
  return (
    <li className="jp-AgentPanel-question">
      <strong>{step.tool}</strong> <code>{step.title}</code>
      <p className="jp-AgentPanel-note">It stops before {step.next}.</p>
      <div className="jp-AgentPanel-buttons">
        <Choices hearer={kernel} choices={choices} about={name} />
        {step.cell && (
          <button
            type="button"
            className="jp-mod-styled"
            aria-label={`${show} ${name}`}
            onClick={() => showTrace(step)}
          >
            {show}
          </button>
        )}
      </div>
    </li>
  );
}

const MARKS: Record<ITodo['status'], [string, string]> = {
  pending: ['☐', 'to do'],
  in_progress: ['▸', 'being done'],
  completed: ['☑', 'done']
};

function TodoView(props: { todo: ITodo }): JSX.Element {
  const [mark, said] = MARKS[props.todo.status] ?? MARKS.pending;
  return (
    <li className={`jp-AgentPanel-todo jp-mod-${props.todo.status}`}>
      <span role="img" aria-label={said}>
        {mark}
      </span>{' '}
      {props.todo.text}
    </li>
  );
}
