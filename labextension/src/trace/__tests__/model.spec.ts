import { extent, onLine, readTrace, spansOf, timesInWords } from '../model';

const CALL = {
  version: 1,
  tool: 'Read',
  id: 'toolu_1',
  status: 'ok',
  ms: 12.5,
  decision: {
    behavior: 'allow',
    by: 'rule',
    reason: 'inside',
    trace: [['deny rules', 'passthrough']]
  },
  stages: [{ name: 'permission', status: 'ok', ms: 1, out: { a: 1 } }]
};
const TIMES = { queued: 0, executing: 100, completed: 300, yielded: 400, waited: ['toolu_0'] };
const ALL = { ...TIMES, reason: 'waits to run alone', held: ['toolu_0'], note: '' };

describe('readTrace', () => {
  it('reads a call', () => {
    const trace = readTrace(CALL)!;
    expect(trace.calls).toHaveLength(1);
    expect(trace.calls[0].decision[0]).toBe('allow · by rule · inside');
    expect(trace.calls[0].stages[0].out).toEqual({ a: 1 });
  });

  it('reads a turn with its times', () => {
    const trace = readTrace({ ended: 'end_turn', calls: [CALL], schedule: { toolu_1: TIMES } })!;
    expect(trace.times.get('toolu_1')?.waited).toEqual(['toolu_0']);
  });

  it.each([null, 3, 'x', [], {}, { stages: [] }])('says no to %j', data => {
    expect(readTrace(data)).toBeNull();
  });

  it.each([
    { calls: [null, 7, { tool: 5, stages: 'no', decision: [], ms: 'x' }] },
    { calls: [CALL], schedule: { toolu_1: null, other: { queued: 'a', completed: 1 } } },
    { ...CALL, stages: [null, { name: 3 }] }
  ])('leaves out what is not as expected: %j', data => {
    expect(() => readTrace(data)).not.toThrow();
    expect(readTrace(data)).not.toBeNull();
  });
});

describe('spansOf', () => {
  it('fills the line without gaps', () => {
    expect(spansOf(ALL, 0, 400)).toEqual([
      { status: 'queued', left: 0, width: 25 },
      { status: 'executing', left: 25, width: 50 },
      { status: 'completed', left: 75, width: 25 }
    ]);
  });

  it('shows when a call waited for the person', () => {
    const spans = spansOf(ALL, 0, 400, [[20, 100]]);
    expect(spans.map(each => [each.status, Math.round(each.left), Math.round(each.width)])).toEqual(
      [
        ['queued', 0, 25],
        ['executing', 25, 5],
        ['asked', 30, 25],
        ['executing', 55, 20],
        ['completed', 75, 25]
      ]
    );
    expect(spansOf(ALL, 100, 300, [[0, 9000]]).map(span => span.status)).toEqual(['asked']);
  });

  it('cuts off what is outside', () => {
    expect(spansOf(ALL, 150, 250)).toEqual([{ status: 'executing', left: 0, width: 100 }]);
  });

  it('shows a call that never ran as one that waited', () => {
    const spans = spansOf({ ...ALL, executing: null }, 0, 400);
    expect(spans.map(span => span.status)).toEqual(['queued', 'completed']);
  });
});

it('takes the extent of nothing as nothing', () => {
  expect(extent([])).toEqual([0, 0]);
});

describe('timesInWords', () => {
  const call = readTrace({ ...CALL, ms: 199 })!.calls[0];
  const names = new Map([['toolu_0', 'Bash (call 1)']]);

  it('says for whom a call waited and why, and what kept its result', () => {
    expect(timesInWords(call, ALL, names)).toBe(
      'Read: ok, ran 199 ms, waited 100 ms for Bash (call 1): it waits to run alone, ' +
        'result kept 100 ms until after Bash (call 1)'
    );
  });

  it('tells apart what it ran, what the person took, and what the executor took', () => {
    const asked = readTrace({ ...CALL, ms: 190, asked: [[10, 150], 'x', [1]] })!.calls[0];
    const plain = { ...ALL, waited: [], held: [], queued: 100, reason: '' };
    expect(timesInWords(asked, plain, names)).toBe('Read: ok, ran 40 ms, waited 150 ms for you');
    expect(timesInWords(asked, undefined, names)).toBe(
      'Read: ok, ran 40 ms, waited 150 ms for you'
    );
    const short = readTrace({ ...CALL, ms: 1 })!.calls[0];
    expect(timesInWords(short, plain, names)).toBe('Read: ok, ran 1 ms, held its place for 200 ms');
  });

  it('says why a call never ran', () => {
    const times = {
      ...ALL,
      executing: null,
      waited: [],
      held: [],
      reason: '',
      note: 'not started: stopped'
    };
    expect(timesInWords(call, times, names)).toBe(
      'Read: ok, never ran, waited 300 ms, not started: stopped'
    );
  });

  it('names a few of many', () => {
    const waited = ['a', 'b', 'c', 'd', 'e', 'f'];
    expect(timesInWords(call, { ...ALL, waited, held: [], reason: '' }, names)).toContain(
      'for a, b, c, d, 2 more'
    );
  });
});

it('takes the first text of the input as what a call is about', () => {
  const stages = [{ name: 'parse_input', in: { tool_use: { input: { n: 1, path: 'a\n b' } } } }];
  expect(readTrace({ ...CALL, stages })!.calls[0].subject).toBe('a b');
  expect(readTrace({ ...CALL, stages: [{ in: { tool_use: [] } }] })!.calls[0].subject).toBe('');
});

it('takes the title of a call before its input, without the name of the tool', () => {
  const subject = (title: string): string => readTrace({ ...CALL, title })!.calls[0].subject;
  expect(['Read a.txt', 'Read', '$ ls', 'Reader x'].map(subject)).toEqual([
    'a.txt',
    '',
    '$ ls',
    'Reader x'
  ]);
});

it('names who decided', () => {
  const decision = { behavior: 'deny', by: 'person', reason: 'no' };
  expect(readTrace({ ...CALL, decision })!.calls[0].decision[0]).toBe('deny · by you · no');
});

it('writes numbers of one line in one unit', () => {
  expect([0, 500, 1000].map(ms => onLine(ms, [0, 2020]))).toEqual(['0 s', '0.5 s', '1 s']);
  expect([1200, 1201].map(ms => onLine(ms, [1200, 1205]))).toEqual(['1.2 s', '1.201 s']);
  expect([0, 0.5].map(ms => onLine(ms, [0, 2]))).toEqual(['0 ms', '0.5 ms']);
});
