import { apply, revisionOf } from '../operations';
import { byModel, plain, random, someNotebook, someOperations } from './random_operations';

// Yjs warns of every cell that is made before it is in its notebook, which is how a notebook makes them.
beforeAll(() => void jest.spyOn(console, 'warn').mockImplementation(() => undefined));

it('does what a plain array does, and all of a list or nothing', () => {
  let refused = 0;
  for (let seed = 1; seed <= 400; seed++) {
    const next = random(seed);
    const notebook = someNotebook(next);
    const before = plain(notebook);
    let ids = 0;
    const operations = someOperations(before, next, () => `n${ids++}`);
    const wanted = byModel(before, operations);
    const act = (): void => apply(notebook, operations, revisionOf(notebook));
    if (wanted === null) {
      refused++;
      expect(act).toThrow(/there (is|are)/);
      expect(plain(notebook)).toEqual(before);
      expect(notebook.canUndo()).toBe(false);
    } else {
      act();
      expect(plain(notebook)).toEqual(wanted);
    }
    notebook.dispose();
  }
  expect(refused).toBeGreaterThan(40);
});

it('takes the structure back in one step', () => {
  for (let seed = 1; seed <= 200; seed++) {
    const next = random(seed);
    const notebook = someNotebook(next);
    const before = plain(notebook);
    let ids = 0;
    const operations = someOperations(before, next, () => `n${ids++}`, 0).filter(
      each => each.op !== 'source' && each.op !== 'clear'
    );
    if (byModel(before, operations) !== null && operations.length > 0) {
      apply(notebook, operations, revisionOf(notebook));
      notebook.undo();
      expect(plain(notebook)).toEqual(before);
    }
    notebook.dispose();
  }
});
