import { IHearer, itemsOf } from '../items';

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
