import { readMessage, VERSION } from '../protocol';

const REQUEST = { type: 'request', v: VERSION, id: 'a', to: 'b', op: 'apply', args: {} };

it('reads a request', () => {
  expect(readMessage({ ...REQUEST, more: 1 })).toEqual(REQUEST);
});

it.each([
  null,
  'x',
  [],
  { ...REQUEST, v: VERSION + 1 },
  { ...REQUEST, v: true },
  { ...REQUEST, v: '1' },
  { ...REQUEST, to: 3 },
  { ...REQUEST, args: [] },
  { type: 'state', v: VERSION },
  { type: 'displays', v: VERSION, displays: {} },
  { type: 'unknown', v: VERSION }
])('takes %j for nothing', data => {
  expect(readMessage(data)).toBeNull();
});

it('leaves out displays that cannot be drawn, and cells that cannot be told apart', () => {
  const good = { cell: 'a', display: 'b', data: {} };
  const cell = { cell: 'a', request: 'r', count: 3 };
  const message = readMessage({
    type: 'displays',
    v: VERSION,
    displays: [good, null, { cell: 1 }],
    cells: [cell, 1, { cell: 'a', request: 'r' }]
  });
  expect(message).toEqual({ type: 'displays', v: VERSION, displays: [good], cells: [cell] });
});
