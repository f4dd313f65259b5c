import { firstWith, IHearer, itemsOf } from '../items';

const QUESTION = {
  id: 'q1',
  tool: 'Bash',
  title: '$ ls',
  reason: '',
  cell: 'c1',
  notebook: 'n.ipynb'
};
const STEP = {
  id: 's1',
  tool: 'Edit',
  title: 'a.txt',
  cell: 'c2',
  notebook: 'n.ipynb',
  next: 'permission',
  mayEdit: true,
  input: {},
  trace: {}
};

function heard(choose: (hearer: IHearer) => void): unknown[] {
  const said: unknown[] = [];
  choose({
    mayAllow: () => true,
    answer: (...words) => said.push(['answer', ...words]),
    command: (...words) => said.push(['command', ...words])
  });
  return said;
}

describe('itemsOf', () => {
  const [question, step] = itemsOf({ waiting: [QUESTION], steps: [STEP] });

  it('has questions before steps, each with its own ways to go on', () => {
    expect([question.head, step.head]).toEqual(['Bash asks', 'Edit stops before permission']);
    expect(question.choices.map(each => each.label)).toEqual(['Allow', 'Deny']);
    expect(step.choices.map(each => each.label)).toEqual(['Next', 'Run on', 'Abort']);
  });

  it('says to the kernel what was chosen', () => {
    expect(question.choices.flatMap(each => heard(each.choose))).toEqual([
      ['answer', 'q1', 'allow'],
      ['answer', 'q1', 'deny']
    ]);
    expect(heard(step.choices[1].choose)).toEqual([
      ['command', 'step', { id: 's1', action: 'run_on' }]
    ]);
  });

  it('offers only what can be answered outside of the card', () => {
    const labels = (answers: ('allow' | 'deny')[]): string[] =>
      itemsOf({ waiting: [{ ...QUESTION, answers }], steps: [] })[0].choices.map(
        each => each.label
      );
    expect([labels([]), labels(['deny']), labels(['allow', 'deny'])]).toEqual([
      [],
      ['Deny'],
      ['Allow', 'Deny']
    ]);
  });

  it('never takes a choice for a question that comes later', () => {
    const choices = { ...QUESTION, id: 'q0', answers: ['deny'] as const };
    const all = itemsOf({ waiting: [choices, QUESTION], steps: [STEP] }).map(item => ({ item }));
    expect(firstWith(all, 'allow')).toBeUndefined();
    expect(firstWith(all, 'deny')?.item.key).toBe('q0');
    expect(firstWith(all.slice(1), 'allow')?.item.key).toBe('q1');
    expect(firstWith(all, 'next')?.item.kind).toBe('step');
  });

  it('is slow to allow only', () => {
    const hearer = { mayAllow: () => false, answer: () => undefined, command: () => undefined };
    const may = [...question.choices, ...step.choices].map(each => each.may(hearer));
    expect(may).toEqual([false, true, true, true, true]);
  });

  it('takes the next stop of the same call as another thing', () => {
    const [later] = itemsOf({ waiting: [], steps: [{ ...STEP, next: 'call' }] });
    expect(later.key).not.toBe(step.key);
  });
});
